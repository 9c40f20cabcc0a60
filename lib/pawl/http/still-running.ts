import { explained } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { warnOnce } from '../kernel/warn-once.ts';

/**
 * The request has its response while its handler may still be at work: by an early time-out. Nothing is known of the effect before the
 * invocation has ended, and no other request may run before that.
 */
export class StillRunningError extends Error {
  override readonly name = 'StillRunningError';
  /** @internal */
  readonly 'pawl.error' = 'still-running';
  constructor(message: string, options?: ErrorOptions) {
    super(explained(message, 'early-timeout'), options);
  }
}

/** Whether an error says that the handler may still be at work. */
export function isStillRunning(error: unknown): boolean {
  return errorKind(error) === 'still-running';
}

/** Once in a cold start: pawl cannot tell which response is an early one, and the author has to know. */
export function warnOfEarlyAnswers(operation: string): void {
  warnOnce(
    'early-timeout',
    operation,
    "an error, or a response that is not final, came in the last moments of an invocation. Middy's timeoutEarlyResponse answers like " +
      'that while the handler is still at work, so the claim stays in flight until the invocation is over. Set timeoutEarlyInMillis to 0, or use ' +
      'middy(onceOverHttp(options, handler)), where an early time-out harms nothing.',
  );
}
