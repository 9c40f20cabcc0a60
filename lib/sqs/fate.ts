import type { Acquired } from '../claims/acquire.ts';
import type { ClaimStatus } from '../claims/record.ts';
import type { Recorded, RunResult } from '../claims/run-result.ts';
import { type InvalidMessageError, retryAfterOf } from '../kernel/errors.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';

/** Why a message can never run; the value of the message attribute `pawl-reason` in the dead-letter queue. */
export type DeadLetterReason =
  | 'invalid-message'
  | 'missing-key'
  | 'invalid-key'
  | 'key-reused'
  | 'rejected'
  | 'parked'
  /** On a FIFO queue: it kept failing, and those behind it were about to be moved with it, without having run. */
  | 'receives-used-up';

/** The one thing that becomes of a message in a batch. */
export type Fate =
  /**
   * Acknowledged: its effect is confirmed by a result or by a replay. `discarded`: or the author chose to discard a duplicate of what runs
   * elsewhere. That was decided by when this copy was received, and says nothing about another one.
   */
  | {
      readonly fate: 'done';
      readonly discarded?: boolean;
      readonly delayMs?: undefined;
      readonly suspect?: undefined;
    }
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
   * workers have died with it under way, and it may only run alone. `error`: what this message failed with; none where it waits, or
   * where the store or the time was what failed.
   */
  | {
      readonly fate: 'again';
      readonly error?: RecordedError | undefined;
      readonly delayMs?: number;
      readonly atLeastMs?: number | undefined;
      readonly suspect?: number | undefined;
    };

export const done: Fate & { readonly fate: 'done' } = { fate: 'done' };
/** It comes again after its back-off, through no fault of its own: the store failed, or its handler still runs. */
export const again: Fate & { readonly fate: 'again' } = { fate: 'again' };
/** It did not get its turn, through no fault of its own. */
export const soon = after(0);

/** It comes again then, and that is no failure of its own. `suspect`: if it may only run alone. */
export function after(delayMs: number, suspect?: number): Fate {
  return { fate: 'again', delayMs, suspect };
}

function deadLetter(reason: DeadLetterReason, error: unknown): Fate {
  return { fate: 'dead-letter', reason, error: recordedError(error) };
}

/** It can never run, by what is known of the message itself: it has no key, or its body cannot be read. */
export function fateOfInvalid(error: InvalidMessageError): Fate {
  return deadLetter(error.problem, error);
}

/**
 * The author's own code threw before the message had its claim: that is a bug, and no fact about the message. To dead-letter for it would empty
 * the queue at the first receive after a bad deployment.
 */
export function fateOfAuthorError(error: RecordedError): Fate {
  return { ...again, error };
}

/**
 * What becomes of a message that was not granted its claim.
 * @param settleMs how long after a lease a provider can first be asked; to come back before that is to come in vain
 */
export function fateOfRefused(refused: Refused, onInFlight: 'defer' | 'discard', settleMs: number): Fate {
  if (refused.kind === 'unavailable') return again;
  const { record } = refused;
  if (refused.kind === 'in-flight') {
    return onInFlight === 'discard' ? { ...done, discarded: true } : after(refused.retryAfterMs + settleMs);
  }
  if (refused.kind === 'suspect') return after(0, record.abandoned);
  if (refused.kind === 'key-reused') return keyReused;
  return fateOfEnded(record.status, record.error) ?? again;
}

/** What came of asking for a claim that was not granted. */
type Refused = Extract<Acquired, { readonly grant?: undefined }>;

export const keyReused = deadLetter('key-reused', 'the key was used before with another payload');

/** What becomes of a message whose handler was called. */
export function fateOfRun(ran: RunResult<unknown>): Fate {
  const { kind, recorded } = ran;
  // The effect has happened, whether or not that could be written down: to run it again would double it.
  if (kind === 'returned' || kind === 'reconciled' || (kind === 'threw' && ran.applied)) return done;
  // Claiming took too long. That is no failure of the message: counted as one, a healthy head of a message group would be set aside unrun.
  if (kind === 'not-started') return soon;
  const { error, retryAfterMs } = ran;
  // A question that was asked too early is no failure: it is asked again as soon as it can be answered.
  const early = kind === 'in-doubt' && retryAfterMs > 0;
  // Nor is what waits for the lock of another request: received before that lock ends, it would burn its receives in vain.
  const waitsMs = recorded === 'released' ? retryAfterOf(error) : undefined;
  if (waitsMs !== undefined) return after(Math.max(waitsMs, retryAfterMs));
  const failure: Fate = { ...again, atLeastMs: retryAfterMs, error: recordedError(error) };
  return fateOfEnded(recorded, error) ?? (early ? after(retryAfterMs) : failure);
}

/** What becomes of a message whose claim has ended, now or earlier; nothing while it has not. */
function fateOfEnded(status: ClaimStatus | Recorded, error: unknown): Fate | undefined {
  if (status === 'completed') return done;
  // Again if it was rejected earlier, and not acknowledged: the first copy may have died on its way there.
  return status === 'rejected' || status === 'parked' ? deadLetter(status, error) : undefined;
}
