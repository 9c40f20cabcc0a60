import type { Acquired } from '../engine/acquire.ts';
import type { Recorded, RunResult } from '../engine/run-result.ts';
import { retryAfterOf } from '../kernel/error-kind.ts';
import { type InvalidMessageError, isSetupError, type SetupError } from '../kernel/errors.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import type { ClaimStatus } from '../rules/record.ts';

/** Why a message can never run; the value of the message attribute `pawl-reason` in the dead-letter queue. */
export type DeadLetterReason =
  | 'invalid-message'
  | 'missing-key'
  | 'invalid-key'
  | 'key-reused'
  | 'rejected'
  | 'parked'
  /** On a FIFO queue: it kept failing, and SQS was about to move the messages behind it together with it, without their having run. */
  | 'receives-used-up';

/** What becomes of one message of a batch. Each message gets exactly one. */
export type Disposition = Acknowledged | Returned | DeadLettered;

/** The message is done: its effect is confirmed by a result or by a replay. */
export interface Acknowledged {
  readonly kind: 'acknowledged';
  /**
   * Its effect is not confirmed: the author chose to discard a duplicate of what runs elsewhere. That is decided by which copy holds the claim, and
   * says nothing about another copy.
   */
  readonly discarded?: boolean;
}

/** The message stays on its queue, and comes again. */
export interface Returned {
  readonly kind: 'returned';
  /** What the message failed with. None if it only waits, or if the store or the time was what failed. */
  readonly error?: RecordedError | undefined;
  /**
   * When it comes again, in milliseconds from now.
   * @default after the back-off of a failure
   */
  readonly delayMs?: number;
  /** The least that its back-off takes, in milliseconds. */
  readonly atLeastMs?: number | undefined;
  /** Why nothing can run: the claims table is not as pawl needs it. */
  readonly setup?: SetupError;
  /** It did not get its turn, and comes again when this worker could have come to it. */
  readonly missedItsTurn?: boolean;
  /** Its handler was only observed, and failed: SQS hears nothing of pawl's. */
  readonly isAsItIs?: boolean;
  /** How many workers have died with it under way. Such a message may only run alone. */
  readonly suspect?: number | undefined;
}

/** The message can never run, or not before an operator has decided. */
export interface DeadLettered {
  readonly kind: 'dead-lettered';
  readonly reason: DeadLetterReason;
  readonly error: RecordedError;
}

export const acknowledged: Acknowledged = { kind: 'acknowledged' };

/** Whether a message that was refused its claim is done already. */
export function isFoundDone(refused: Disposition): boolean {
  return refused.kind === 'acknowledged' && refused.discarded !== true;
}
/** It comes again after its back-off, through no fault of its own: the store failed, or its handler still runs. */
export const returned: Returned = { kind: 'returned' };
/** It did not get its turn, through no fault of its own. */
export const missedItsTurn: Returned = { kind: 'returned', delayMs: 0, missedItsTurn: true };

/** It comes again as it would without pawl: when the queue's visibility timeout is over. */
export const returnedAsItIs: Returned = { kind: 'returned', isAsItIs: true };

/** Whether SQS hears nothing of a message, nor of those behind it in its group: they come again with it. */
export function isAsItIs(disposition: Disposition | undefined): boolean {
  return disposition?.kind === 'returned' && disposition.isAsItIs === true;
}

/** It comes again then, and that is no failure of its own. */
export function returnedFor(delayMs: number): Returned {
  return { kind: 'returned', delayMs };
}

/** It comes again at once, to run alone. @param workers how many have died with it under way */
function returnedAsSuspect(workers: number): Returned {
  return { kind: 'returned', delayMs: 0, suspect: workers };
}

function deadLettered(reason: DeadLetterReason, error: unknown): DeadLettered {
  return { kind: 'dead-lettered', reason, error: recordedError(error) };
}

/** How many workers have died with a message under way, if it may only run alone; else 0. */
export function suspicionOf(disposition: Disposition | undefined): number {
  return disposition?.kind === 'returned' ? (disposition.suspect ?? 0) : 0;
}

/** It can never run, by what is known of the message itself: it has no key, or its body cannot be read. */
export function dispositionOfInvalid(error: InvalidMessageError): DeadLettered {
  return deadLettered(error.problem, error);
}

/**
 * A part of the message could not be read from where it is kept.
 * @param refusal what that service refuses it with. None if it could not be reached: that is no failure of the message
 */
export function dispositionOfUnavailable(refusal: RecordedError | undefined): Returned {
  return { ...returned, error: refusal };
}

/**
 * The author's own code threw before the message had its claim: that is a bug, and no fact about the message. To dead-letter for it would empty
 * the queue at the first receive after a bad deployment.
 */
export function dispositionOfAuthorError(error: RecordedError): Returned {
  return { ...returned, error };
}

/**
 * What becomes of a message that was not granted its claim.
 * @param settleMs how long after a lease a provider can first be asked; an earlier retry is wasted
 */
export function dispositionOfRefused(refused: Refused, onInFlight: 'defer' | 'discard', settleMs: number): Disposition {
  if (refused.kind === 'unavailable') {
    return isSetupError(refused.cause) ? { ...returned, setup: refused.cause } : returned;
  }
  const { record } = refused;
  if (refused.kind === 'in-flight') {
    return onInFlight === 'discard'
      ? { ...acknowledged, discarded: true }
      : returnedFor(refused.retryAfterMs + settleMs);
  }
  if (refused.kind === 'suspect') return returnedAsSuspect(record.abandoned);
  if (refused.kind === 'key-reused') return keyReused;
  return dispositionOfEnded(record.status, record.error) ?? returned;
}

/** A claim that was asked for, and not granted. */
type Refused = Extract<Acquired, { readonly grant?: undefined }>;

export const keyReused: DeadLettered = deadLettered('key-reused', 'the key was used before with another payload');

/** What becomes of a message whose handler was called. */
export function dispositionOfRun(result: RunResult<unknown>): Disposition {
  const { kind, recorded } = result;
  // The effect has happened, whether or not that could be written down: to run it again would double it.
  if (kind === 'returned' || kind === 'reconciled' || (kind === 'threw' && result.applied)) return acknowledged;
  // Claiming took too long. That is no failure of the message: counted as one, a healthy head of a message group would be set aside unrun.
  if (kind === 'not-started') return missedItsTurn;
  const { error, retryAfterMs } = result;
  // A question that was asked too early is no failure: it is asked again as soon as the provider can say.
  const isTooEarly = kind === 'in-doubt' && retryAfterMs > 0;
  // Nor is what waits for the lock of another request: received before that lock ends, it would burn its receives in vain.
  const waitsMs = recorded === 'released' ? retryAfterOf(error) : undefined;
  if (waitsMs !== undefined) return returnedFor(Math.max(waitsMs, retryAfterMs));
  const failure: Returned = { ...returned, atLeastMs: retryAfterMs, error: recordedError(error) };
  return dispositionOfEnded(recorded, error) ?? (isTooEarly ? returnedFor(retryAfterMs) : failure);
}

/** What becomes of a message whose claim has ended, now or earlier; nothing while it has not. */
function dispositionOfEnded(status: ClaimStatus | Recorded, error: unknown): Disposition | undefined {
  if (status === 'completed') return acknowledged;
  // Dead-lettered again if it was rejected earlier, and not acknowledged: the first copy may have died on its way there.
  return status === 'rejected' || status === 'parked' ? deadLettered(status, error) : undefined;
}
