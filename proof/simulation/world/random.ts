/** A stream of choices that is the same for the same seed: a run that went wrong can be run again. */
export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** A whole number from 0 up to, and without, `limit`. */
  below(limit: number): number;
  /** From `least` up to, and without, `most`. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** sfc32: 128 bits of state, so that the streams of a million neighbouring seeds do not run into each other. */
export function createRandom(seed: number): Random {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = seed >>> 0;
  let counter = Math.floor(seed / 2 ** 32) + 1;

  function draw(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
  // The first draws of neighbouring seeds resemble each other.
  for (let i = 0; i < 15; i++) draw();

  const next = () => draw() / 4_294_967_296;
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (least, most) => least + next() * (most - least),
    chance: (share) => share > 0 && next() < share,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
