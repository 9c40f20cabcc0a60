import type { PlannedResolution } from './resolve.ts';

/** Since when the youngest doubt of a plan stands, in epoch milliseconds; `undefined` if it resolves no claim in doubt. */
export function youngestDoubt(items: readonly PlannedResolution[]): number | undefined {
  const since = items.map((item) => (item.will === 'resolve' ? item.inDoubtSince : undefined));
  return since.reduce((youngest, at) => (at === undefined ? youngest : Math.max(at, youngest ?? at)), undefined);
}
