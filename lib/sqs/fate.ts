import type { Acquired } from '../core/claims.ts';
import { InvalidMessageError, retryAfterOf } from '../core/errors.ts';
import type { Ran, Recorded } from '../core/ran.ts';
import { type ClaimStatus, type RecordedError, recordedError } from '../core/record.ts';

/** Why a message can never run; the value of the message attribute `pawl-reason` in the dead-letter queue. */
export type DeadLetterReason = 'invalid-message' | 'missing-key' | 'invalid-key' | 'key-reused' | 'rejected' | 'parked';

/** The one thing that becomes of a message in a batch. */
export type Fate =
  /** Acknowledged: its effect is confirmed by a result or by a replay, or the author chose to discard it. */
  | { readonly fate: 'done'; readonly delayMs?: undefined; readonly suspect?: undefined }
  /** It can never run, or not before somebody has decided. */
  | {
      readonly fate: 'dead-letter';
      readonly reason: DeadLetterReason;
      readonly error: RecordedError;
      readonly delayMs?: undefined;
      readonly suspect?: undefined;
    }
  /**
   * It comes again: after `delayMs`, or else after the back-off of a failure, but not before `atLeastMs`. `suspect`: so many
   * workers have died with it under way, and it may only run alone.
   */
  | {
      readonly fate: 'again';
      readonly delayMs?: number;
      readonly atLeastMs?: number | undefined;
      readonly suspect?: number | undefined;
    };

export const done: Fate = { fate: 'done' };
/** It failed, or the store did. */
export const again = { fate: 'again' } as const;
/** It did not get its turn, through no fault of its own. */
export const soon = after(0);

/** It comes again then, and that is no failure of its own. `suspect`: if it may only run alone. */
export function after(delayMs: number, suspect?: number): Fate {
  return { fate: 'again', delayMs, suspect };
}

function deadLetter(reason: DeadLetterReason, error: unknown): Fate {
  return { fate: 'dead-letter', reason, error: recordedError(error) };
}

/** What becomes of a message that cannot even ask for a claim. */
export function fateOfInvalid(error: unknown): Fate {
  if (error instanceof InvalidMessageError) return deadLetter(error.problem, error);
  // The author's key function, fingerprint or schema threw. What it says may quote the body, so only its name is kept.
  return deadLetter('invalid-message', `${recordedError(error).name} while it was read`);
}

/**
 * What becomes of a message that was not granted its claim.
 * @param settleMs how long after a lease a provider can first be asked; to come back before that is to come in vain
 */
export function fateOfRefused(refused: Acquired, onInFlight: 'defer' | 'discard', settleMs: number): Fate {
  const { decision, record } = refused;
  if (decision === 'unavailable') return again;
  if (decision === 'in-flight') {
    return onInFlight === 'discard' ? done : after(refused.retryAfterMs + settleMs);
  }
  if (decision === 'taken-over') return after(0, record.abandoned);
  if (decision === 'key-reused') return keyReused;
  return fateOfEnded(record.status, record.error) ?? again;
}

export const keyReused = deadLetter('key-reused', 'the key was used before with another payload');

/** What becomes of a message whose handler was called. */
export function fateOfRun({ ran, applied, recorded, error, retryAfterMs = 0 }: Ran<unknown>): Fate {
  // The effect has happened, whether or not that could be written down: to run it again would double it.
  if (applied) return done;
  // A question that was asked too early is no failure: it is asked again as soon as it can be answered.
  const early = ran === 'in-doubt' && retryAfterMs > 0;
  // Nor is what waits for the lock of another request: received before that lock ends, it would burn its receives in vain.
  const waitsMs = recorded === 'released' ? retryAfterOf(error) : undefined;
  if (waitsMs !== undefined) return after(Math.max(waitsMs, retryAfterMs));
  return fateOfEnded(recorded, error) ?? (early ? after(retryAfterMs) : { ...again, atLeastMs: retryAfterMs });
}

/** What becomes of a message whose claim has ended, now or earlier; nothing while it has not. */
function fateOfEnded(status: ClaimStatus | Recorded, error: unknown): Fate | undefined {
  if (status === 'completed') return done;
  // Again if it was rejected earlier, and not acknowledged: the first copy may have died on its way there.
  return status === 'rejected' || status === 'parked' ? deadLetter(status, error) : undefined;
}
