import type { Acquired } from '../core/claims.ts';
import { InvalidKeyError } from '../core/errors.ts';
import { type RecordedError, recordedError } from '../core/record.ts';
import type { Ran } from '../core/run.ts';
import { InvalidMessageError } from './message.ts';

/** Why a message can never run; the value of the message attribute `pawl-reason` in the dead-letter queue. */
export type DeadLetterReason = 'invalid-message' | 'missing-key' | 'invalid-key' | 'key-reused' | 'rejected' | 'parked';

/** The one thing that becomes of a message in a batch. */
export type Fate =
  /** Acknowledged: its effect is confirmed by a result or by a replay, or the author chose to discard it. */
  | { readonly fate: 'done' }
  /** It can never run, or not before somebody has decided. */
  | { readonly fate: 'dead-letter'; readonly reason: DeadLetterReason; readonly error: RecordedError }
  /** It comes again: after `delayMs`, or else when its visibility timeout ends. */
  | { readonly fate: 'again'; readonly delayMs?: number };

export const done: Fate = { fate: 'done' };
export const again: Fate = { fate: 'again' };

/** What becomes of a message that cannot even ask for a claim. */
export function fateOfInvalid(thrown: unknown): Fate {
  const error = recordedError(thrown);
  if (thrown instanceof InvalidKeyError) {
    return { fate: 'dead-letter', reason: thrown.problem === 'missing' ? 'missing-key' : 'invalid-key', error };
  }
  if (thrown instanceof InvalidMessageError) return { fate: 'dead-letter', reason: 'invalid-message', error };
  // The author's key function or schema threw. Its message may quote the body, so only the name is kept.
  return {
    fate: 'dead-letter',
    reason: 'invalid-message',
    error: { name: error.name, message: 'the key function or the schema threw' },
  };
}

/** Every answer to a request for a claim but the one that may run. */
export type Refused = Exclude<Acquired, { outcome: 'granted' }>;

/** What becomes of a message that was not granted its claim. */
export function refusedFate(acquired: Refused, onInFlight: 'defer' | 'discard'): Fate {
  switch (acquired.outcome) {
    case 'replayed':
      if (acquired.record.status === 'completed') return done;
      // Dead-lettered once more rather than acknowledged: the first copy may have died on its way there.
      return {
        fate: 'dead-letter',
        reason: 'rejected',
        error: acquired.record.error ?? { name: 'RejectedError', message: 'rejected earlier' },
      };
    case 'in-flight':
      return onInFlight === 'discard' ? done : { fate: 'again', delayMs: acquired.retryAfterMs };
    case 'parked':
      return parkedFate(acquired.error);
    case 'key-reused':
      return {
        fate: 'dead-letter',
        reason: 'key-reused',
        error: { name: 'KeyReused', message: 'the idempotency key was used before with another payload' },
      };
  }
}

/** What becomes of a message whose handler was called. */
export function fateOfRun(ran: Ran<unknown>): Fate {
  // The effect is known to have happened, whether or not that could be written down: to run it again would double it.
  if (ran.ran === 'returned' || (ran.ran === 'threw' && ran.applied)) return done;
  switch (ran.recorded) {
    case 'completed':
      return done;
    case 'rejected':
      return { fate: 'dead-letter', reason: 'rejected', error: recordedError(ran.error) };
    case 'parked':
      return parkedFate(recordedError(ran.error));
    default:
      return again;
  }
}

function parkedFate(error: RecordedError | undefined): Fate {
  return { fate: 'dead-letter', reason: 'parked', error: error ?? { name: 'parked', message: 'a decision is needed' } };
}
