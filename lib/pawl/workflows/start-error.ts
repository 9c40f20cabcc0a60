import { setupOf } from '../kernel/aws-error.ts';
import { explainedError, RejectedError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { propertyOf } from '../kernel/unknown.ts';

/**
 * What a target's error says of a start: that nothing was started, or nothing at all.
 *
 * @param refusesInput the names of the errors that refuse an input at each attempt
 */
export function startError(service: string, error: unknown, refusesInput: readonly string[]): unknown {
  if (!isRefusal(error)) return error;
  const { name, message } = recordedError(error);
  const said = `${service} refused the start: ${name}: ${message}`;
  if (refusesInput.includes(name)) return explainedError(RejectedError, said, 'start-refused', { cause: error });
  return explainedError(RetryableError, said, 'start-refused', { cause: error });
}

/** Whether a request was refused, and so did nothing. What was throttled may be sent again. */
export function isRefusal(error: unknown): boolean {
  const setup = setupOf(error);
  if (setup?.kind === 'credentials' || setup?.kind === 'region') return true;
  const status = propertyOf(propertyOf(error, '$metadata'), 'httpStatusCode');
  // 408: the request may have arrived.
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 408;
}
