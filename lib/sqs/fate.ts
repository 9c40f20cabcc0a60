import type { Acquired } from '../core/claims.ts';
import { InvalidMessageError } from '../core/errors.ts';
import type { Ran } from '../core/ran.ts';
import { type RecordedError, recordedError } from '../core/record.ts';

/** Why a message can never run; the value of the message attribute `pawl-reason` in the dead-letter queue. */
export type DeadLetterReason = 'invalid-message' | 'missing-key' | 'invalid-key' | 'key-reused' | 'rejected' | 'parked';

/** The one thing that becomes of a message in a batch. */
export type Fate =
  /** Acknowledged: its effect is confirmed by a result or by a replay, or the author chose to discard it. */
  | { readonly fate: 'done' }
  /** It can never run, or not before somebody has decided. */
  | { readonly fate: 'dead-letter'; readonly reason: DeadLetterReason; readonly error: RecordedError }
  /** It comes again: after `delayMs`, or else after the back-off of a failure, but not before `atLeastMs`. */
  | { readonly fate: 'again'; readonly delayMs?: number; readonly atLeastMs?: number | undefined };

export const done: Fate = { fate: 'done' };
/** It failed, or the store did. */
export const again: Fate = { fate: 'again' };
/** It did not get its turn, through no fault of its own. */
export const soon: Fate = { fate: 'again', delayMs: 0 };

function deadLetter(reason: DeadLetterReason, error: unknown): Fate {
  return { fate: 'dead-letter', reason, error: recordedError(error) };
}

/** What becomes of a message that cannot even ask for a claim. */
export function fateOfInvalid(error: unknown): Fate {
  if (error instanceof InvalidMessageError) return deadLetter(error.problem, error);
  // The author's key function, fingerprint or schema threw. What it says may quote the body, so only its name is kept.
  return deadLetter('invalid-message', `${recordedError(error).name} while the message was read`);
}

/**
 * What becomes of a message that was not granted its claim.
 * @param settleMs how long after a lease a provider can first be asked; to come back before that is to come in vain
 */
export function fateOfRefused(refused: Acquired, onInFlight: 'defer' | 'discard', settleMs: number): Fate {
  const { decision, record } = refused;
  if (decision === 'in-flight') {
    return onInFlight === 'discard' ? done : { fate: 'again', delayMs: refused.retryAfterMs + settleMs };
  }
  if (decision === 'parked') return deadLetter('parked', record.error);
  if (decision === 'key-reused') return keyReused;
  // What was rejected is dead-lettered once more, not acknowledged: the first copy may have died on its way there.
  return record.status === 'rejected' ? deadLetter('rejected', record.error) : done;
}

export const keyReused = deadLetter('key-reused', 'the key was used before with another payload');

/** What becomes of a message whose handler was called. */
export function fateOfRun({ ran, applied, recorded, error, retryAfterMs = 0 }: Ran<unknown>): Fate {
  // The effect has happened, whether or not that could be written down: to run it again would double it.
  if (applied || recorded === 'completed') return done;
  if (recorded === 'rejected' || recorded === 'parked') return deadLetter(recorded, error);
  // A question that was asked too early is no failure: it is asked again as soon as it can be answered.
  const early = ran === 'in-doubt' && retryAfterMs > 0;
  return early ? { fate: 'again', delayMs: retryAfterMs } : { fate: 'again', atLeastMs: retryAfterMs };
}
