import { explained, withoutPage } from '../kernel/error-code.ts';
import { explainedError, InDoubtError, RejectedError, ResultNotKeptError, RetryableError } from '../kernel/errors.ts';
import { lineOf, type RecordedError } from '../kernel/recorded-error.ts';

/** What became of a call. Only `completed` means that the effect has happened. */
export type OnceOutcome<R> =
  /** The effect happened: now (`replayed: false`), or before (`replayed: true`, with the recorded result if there is one). */
  | { readonly outcome: 'completed'; readonly replayed: false; readonly result: R }
  | {
      readonly outcome: 'completed';
      readonly replayed: true;
      readonly result: R | undefined;
      readonly recorded: boolean;
    }
  /** It is not known yet whether an earlier attempt applied it. Call again after `retryAfterMs`. */
  | { readonly outcome: 'in-doubt'; readonly retryAfterMs: number }
  /** It failed for good, earlier. */
  | { readonly outcome: 'rejected'; readonly error: RecordedError }
  /** Another worker runs it. Call again after `retryAfterMs`. */
  | { readonly outcome: 'in-flight'; readonly retryAfterMs: number }
  /** Its outcome is in doubt, and an operator has to decide. It does not run until then. */
  | { readonly outcome: 'parked'; readonly error: RecordedError }
  /** The key was used before with another payload. Nothing was run. */
  | { readonly outcome: 'key-reused' };

/**
 * What a call of a once-function returns or throws, by its outcome. A caller that only awaits the call has its effect done, or has an error.
 *
 * The errors say to another door of pawl around the call what they say to every caller:
 *
 * - In flight, in doubt, not started: nothing was applied by this call. The work around it is released, and comes again.
 * - Parked: an operator has to decide, and no repetition helps. The work around it is parked as well.
 * - Rejected, key reused: final. The work around it is rejected.
 * - Done, and the result not kept: the work around it cannot go on without the result, and no repetition brings it: to release that work would
 *   deliver its message again until its receives are used up. Nothing is in doubt, so there is nothing to ask or to decide: to park it would
 *   ask an operator about an effect that is known. So it is rejected, and its message is in the dead-letter queue with the reason. It is
 *   not completed: what the author has written behind the call has not run.
 *
 * @throws RetryableError, InDoubtError, RejectedError, ResultNotKeptError
 */
export function resultOf<R>(outcome: OnceOutcome<R>): R {
  switch (outcome.outcome) {
    case 'completed':
      if (outcome.replayed && !outcome.recorded) throw new ResultNotKeptError();
      return outcome.result as R;
    case 'in-flight':
      throw again('another worker runs this call', outcome.retryAfterMs);
    case 'in-doubt':
      throw again('it is not known yet whether an earlier attempt applied its effect', outcome.retryAfterMs);
    case 'parked': {
      const said = `it is parked, and an operator has to decide: ${textOf(outcome.error)}`;
      throw explainedError(InDoubtError, said, 'call-not-done');
    }
    case 'rejected':
      throw explainedError(RejectedError, `it failed for good, earlier: ${textOf(outcome.error)}`, 'call-not-done');
    case 'key-reused':
      throw explainedError(
        RejectedError,
        'nothing was run: the key was used before with another payload',
        'key-reused',
      );
  }
}

/** That too little time was left to start. As an error of the time alone, it would leave the work around the call in doubt. */
export function notStarted(cause: unknown): RetryableError {
  return new RetryableError(explained('nothing was run: too little time was left. Call again', 'lease-over'), {
    cause,
  });
}

function again(why: string, retryAfterMs: number): RetryableError {
  const said = `nothing was run: ${why}. Call again in ${Math.ceil(retryAfterMs)} ms`;
  return new RetryableError(explained(said, 'call-not-done'), { retryAfterMs });
}

/** A recorded error, without its own place to read more: the message goes on to one. */
function textOf(error: RecordedError): string {
  return withoutPage(lineOf(error));
}
