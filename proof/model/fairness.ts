import type { growingList } from './visited.ts';

type List = ReturnType<typeof growingList>;

/**
 * Whether every way from every state leads to an end when nothing goes wrong any more: not only some way, and in how much
 * time. Goes backwards from the ends, and takes a state in when all that may follow it has been taken in; what is left then is
 * caught in a circle, or has nowhere to go.
 */
export function fairly(
  states: number,
  fair: { readonly from: List; readonly to: List; readonly ticks: List },
  ends: Int32Array,
): { readonly stuck: number | undefined; readonly slowest: number } {
  const [from, to, ticks] = [fair.from.values(), fair.to.values(), fair.ticks.values()];
  const open = new Int32Array(states);
  const starts = new Int32Array(states + 1);
  for (const state of from) open[state] = (open[state] ?? 0) + 1;
  for (const state of to) starts[state + 1] = (starts[state + 1] ?? 0) + 1;
  for (let state = 0; state < states; state++) starts[state + 1] = (starts[state + 1] ?? 0) + (starts[state] ?? 0);
  const edges = new Int32Array(to.length);
  const filled = starts.slice();
  for (const [edge, state] of to.entries()) {
    const place = filled[state] ?? 0;
    edges[place] = edge;
    filled[state] = place + 1;
  }

  const time = new Int32Array(states);
  const taken = new Uint8Array(states);
  const queue: number[] = [];
  const take = (state: number): void => {
    taken[state] = 1;
    queue.push(state);
  };
  for (const state of ends) take(state);
  let slowest = 0;
  for (const state of queue) {
    slowest = Math.max(slowest, time[state] ?? 0);
    for (let place = starts[state] ?? 0; place < (starts[state + 1] ?? 0); place++) {
      const edge = edges[place] ?? 0;
      const before = from[edge] ?? 0;
      if (taken[before] === 1) continue;
      time[before] = Math.max(time[before] ?? 0, (time[state] ?? 0) + (ticks[edge] ?? 0));
      open[before] = (open[before] ?? 0) - 1;
      if (open[before] === 0) take(before);
    }
  }
  const stuck = taken.indexOf(0);
  return { stuck: stuck < 0 ? undefined : deepest(), slowest };

  /** Of the states that were not taken in, the first that has nowhere to go; or else one that is in a circle. */
  function deepest(): number {
    const goes = new Int32Array(states).fill(-1);
    for (const [edge, state] of from.entries()) {
      const next = to[edge] ?? 0;
      if (taken[next] === 0) goes[state] = next;
    }
    const nowhere = goes.findIndex((next, state) => next < 0 && taken[state] === 0);
    let state = stuck;
    for (let steps = 0; steps < states; steps++) state = goes[state] ?? 0;
    return nowhere < 0 ? state : nowhere;
  }
}
