/**
 * The states that were met, as 64 bits of hash each, numbered in the order in which they came. Two states with one hash would
 * pass for one: with two million states that has a chance of one in ten million.
 */
export function visitedStates() {
  let capacity = 1 << 16;
  let high = new Int32Array(capacity);
  let low = new Int32Array(capacity);
  /** The number of the state, from 1; 0 where the slot is free. */
  let numbers = new Int32Array(capacity);
  let count = 0;

  function slotOf(h: number, l: number): number {
    let slot = (h ^ Math.imul(l, 0x9e3779b1)) & (capacity - 1);
    while (numbers[slot] !== 0 && (high[slot] !== h || low[slot] !== l)) slot = (slot + 1) & (capacity - 1);
    return slot;
  }

  function grow(): void {
    const [oldHigh, oldLow, oldNumbers] = [high, low, numbers];
    capacity *= 2;
    high = new Int32Array(capacity);
    low = new Int32Array(capacity);
    numbers = new Int32Array(capacity);
    for (const [slot, number] of oldNumbers.entries()) {
      if (number !== 0) put(oldHigh[slot] ?? 0, oldLow[slot] ?? 0, number);
    }
  }

  function put(h: number, l: number, number: number): void {
    const slot = slotOf(h, l);
    high[slot] = h;
    low[slot] = l;
    numbers[slot] = number;
  }

  return {
    get count() {
      return count;
    },
    /** Answers the number of a state, and whether it is new. Numbers count from 0. */
    add(text: string): { readonly state: number; readonly isNew: boolean } {
      let h = 0x5bd1e995;
      let l = 0x1b873593;
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index);
        h = Math.imul(h ^ code, 0x85ebca6b);
        l = Math.imul(l ^ code, 0xc2b2ae35);
        h ^= h >>> 15;
        l ^= l >>> 13;
      }
      const known = numbers[slotOf(h, l)] ?? 0;
      if (known !== 0) return { state: known - 1, isNew: false };
      if (2 * ++count > capacity) grow();
      put(h, l, count);
      return { state: count - 1, isNew: true };
    },
  };
}

/** A list of whole numbers that grows. */
export function growingList() {
  let values = new Int32Array(1 << 16);
  let length = 0;
  return {
    push(value: number): void {
      if (length === values.length) {
        const longer = new Int32Array(2 * length);
        longer.set(values);
        values = longer;
      }
      values[length++] = value;
    },
    values: () => values.subarray(0, length),
  };
}
