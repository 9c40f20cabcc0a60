import { changeClaim, type Engine, emit } from '../engine/engine.ts';
import { recordUntil } from '../engine/record-outcome.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import type { Grant } from '../rules/grant.ts';
import { completion } from '../rules/result.ts';
import { successor } from '../rules/successor.ts';
import type { Kept } from './response.ts';

/**
 * Keeps the response of a claim that was complete before the response was known: `commit` completes it, with the result that it is
 * given. Costs a write, unless that result is the response. Never throws: the effect has happened, and so has its record.
 */
export async function rememberResponse(engine: Engine, grant: Grant, kept: Kept): Promise<void> {
  const { maxResultBytes, recordResult } = engine.settings;
  const { claimId } = grant.record;
  const { result } = completion(kept, maxResultBytes, recordResult);
  if (result === undefined || result === grant.record.result) return;
  try {
    await changeClaim(
      engine,
      grant,
      (found) => {
        if (found?.claimId !== claimId || found.status !== 'completed') return 'stale';
        return found.result === result ? 'applied' : successor(found, { ...found, result, resultOmitted: undefined });
      },
      { until: recordUntil(engine, grant) },
    );
  } catch (error) {
    // A duplicate gets what was committed, or a response that says that the body was not kept.
    emit(engine, grant.identity, { type: 'store-unavailable', error: recordedError(error) });
  }
}
