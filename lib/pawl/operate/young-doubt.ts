import type { ClaimView } from './claim-view.ts';
import type { PlannedResolution } from './resolutions.ts';

/** Since when the youngest doubt of a plan stands, in epoch milliseconds; `undefined` if it resolves no claim in doubt. */
export function youngestDoubt(items: readonly PlannedResolution[]): number | undefined {
  const since = items.map((item) => (item.will === 'resolve' ? item.inDoubtSince : undefined));
  return since.reduce((youngest, at) => (at === undefined ? youngest : Math.max(at, youngest ?? at)), undefined);
}

/**
 * Since when the youngest doubt about some steps of a claim stands, in epoch milliseconds; `undefined` if none of them is in doubt. A worker that died in a
 * step may have applied it until its lease ended.
 */
export function youngestStepDoubt(
  { steps, inDoubtSince = 0, status, leaseUntil }: Pick<ClaimView, 'steps' | 'inDoubtSince' | 'status' | 'leaseUntil'>,
  names: readonly string[],
): number | undefined {
  const since = steps.filter(({ name, state }) => state === 'started' && names.includes(name)).map(({ at }) => at);
  return since.length === 0 ? undefined : Math.max(...since, inDoubtSince, status === 'in-flight' ? leaseUntil : 0);
}
