import type { Claims } from '../claims/engine.ts';
import type { Held } from '../claims/held.ts';
import { successor } from '../claims/record.ts';
import { completion } from '../claims/result.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import type { Kept } from './response.ts';

/**
 * Keeps the response of a claim that was complete before the response was known: `commit` completes it, with the result that it is
 * given. Costs a write, unless that result is the response. Never throws: the effect has happened, and so has its record.
 */
export async function rememberResponse<Input>(claims: Claims<Input>, held: Held, kept: Kept): Promise<void> {
  const { maxResultBytes, recordResult, marginMs } = claims.settings;
  const { claimId, leaseUntil } = held.record;
  const { result } = completion(kept, maxResultBytes, recordResult);
  if (result === undefined || result === held.record.result) return;
  try {
    await claims.change(
      held,
      (found) => {
        if (found?.claimId !== claimId || found.status !== 'completed') return 'stale';
        return found.result === result ? 'applied' : successor(found, { ...found, result, resultOmitted: undefined });
      },
      { until: held.deadline === undefined ? leaseUntil : held.deadline - marginMs / 4 },
    );
  } catch (error) {
    // A duplicate gets what was committed, or hears that its response was not kept.
    claims.emit(held.identity, 'store-unavailable', { error: recordedError(error) });
  }
}
