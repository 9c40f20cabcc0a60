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

function deadLetter(reason: DeadLetterReason, error: unknown): Fate {
  return { fate: 'dead-letter', reason, error: recordedError(error) };
}

/** What becomes of a message that cannot even ask for a claim. */
export function fateOfInvalid(error: unknown): Fate {
  if (error instanceof InvalidKeyError) return deadLetter(`${error.problem}-key`, error);
  // The author's key function or schema threw. What it says may quote the body, so only its name is kept.
  const ours = error instanceof InvalidMessageError;
  return deadLetter(
    'invalid-message',
    ours ? error : `the key function or the schema threw ${recordedError(error).name}`,
  );
}

/** What becomes of a message that was not granted its claim. */
export function fateOfRefused(refused: Acquired, onInFlight: 'defer' | 'discard'): Fate {
  const { decision, record } = refused;
  if (decision === 'in-flight')
    return onInFlight === 'discard' ? done : { fate: 'again', delayMs: refused.retryAfterMs };
  if (decision === 'parked') return deadLetter('parked', record.error);
  if (decision === 'key-reused') return deadLetter('key-reused', 'the key was used before with another payload');
  // What was rejected is dead-lettered once more, not acknowledged: the first copy may have died on its way there.
  return record.status === 'rejected' ? deadLetter('rejected', record.error) : done;
}

/** What becomes of a message whose handler was called. */
export function fateOfRun({ applied, recorded, error }: Pick<Ran<unknown>, 'applied' | 'recorded' | 'error'>): Fate {
  // The effect has happened, whether or not that could be written down: to run it again would double it.
  if (applied || recorded === 'completed') return done;
  return recorded === 'rejected' || recorded === 'parked' ? deadLetter(recorded, error) : again;
}
