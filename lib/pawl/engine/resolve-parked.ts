import type { Host } from '../kernel/host.ts';
import type { ClaimRules } from '../rules/decide.ts';
import { type ClaimRecord, type ResolutionVerdict, understood } from '../rules/record.ts';
import { longestNote, resolution, type StepResolutions, saidOf } from '../rules/resolve.ts';
import type { ClaimStore } from '../rules/store.ts';

/** What became of a resolution. Only `resolved` has changed the claim. */
export type Resolved =
  | { readonly outcome: 'resolved'; readonly record: ClaimRecord }
  /** Nothing was changed: the claim is not parked, or not any more. */
  | { readonly outcome: 'not-parked'; readonly record: ClaimRecord }
  /** Nothing was changed: the claim was granted since the record with that fence, and this is another doubt. */
  | { readonly outcome: 'another-doubt'; readonly record: ClaimRecord }
  /** Nothing was changed: these steps are in doubt, and the resolution has to name each of them, and no other. */
  | { readonly outcome: 'steps-in-doubt'; readonly record: ClaimRecord; readonly steps: readonly string[] }
  /** Nothing is known of this key. */
  | { readonly outcome: 'unknown-key' };

/** What a resolution is written with. */
export interface Resolving {
  readonly store: ClaimStore;
  readonly host: Pick<Host, 'now' | 'randomId'>;
  readonly rules: Pick<ClaimRules, 'retentionSeconds'>;
}

/**
 * Decides a parked claim. Conditional on the record's being the one that was read, and recorded on it.
 *
 * @param id of the record
 * @param resolved who decided and why; of the doubt with this fence, or of the one that is first read
 * @throws the store's error
 */
export async function resolveParked(
  { store, host, rules }: Resolving,
  id: string,
  verdict: ResolutionVerdict | StepResolutions,
  { by, note, fence: given }: { readonly by: string; readonly note: string; readonly fence: number | undefined },
): Promise<Resolved> {
  const now = host.now();
  const decided = {
    by: by.slice(0, longestNote).toWellFormed(),
    note,
    at: new Date(now).toISOString(),
    id: host.randomId(),
  };
  let found = understood(await store.read(id));
  // A doubt that begins while this runs is another one: the operator cannot have looked at it.
  const fence = given ?? found?.fence;
  for (;;) {
    if (found === undefined) return { outcome: 'unknown-key' };
    // Our own write, whose answer was lost.
    if (found.resolution?.id === decided.id) return { outcome: 'resolved', record: found };
    if (found.status !== 'parked') return { outcome: 'not-parked', record: found };
    if (fence !== undefined && fence !== found.fence) return { outcome: 'another-doubt', record: found };
    const said = saidOf(found, verdict);
    if (said.kind === 'incomplete') return { outcome: 'steps-in-doubt', record: found, steps: said.inDoubt };
    const next = resolution(found, { resolution: { ...decided, ...said.resolution }, steps: said.steps }, rules, now);
    const written = await store.write({ next, seen: found });
    if (written.applied) return { outcome: 'resolved', record: next };
    found = understood(written.found);
  }
}
