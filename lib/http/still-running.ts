/**
 * The request was answered while its handler may still be at work: by an early time-out. Nothing can be said of the effect before the
 * invocation has ended, and neither may another request run before that.
 */
export class StillRunningError extends Error {
  override readonly name = 'StillRunningError';
}

let warned = false;

/** Once in a cold start: which response is an early one cannot be told, and its author has to know. */
export function warnOfEarlyAnswers(): void {
  if (warned) return;
  warned = true;
  console.warn(
    "pawl: an error, or a response that is not final, came in the last moments of an invocation. Middy's timeoutEarlyResponse answers like " +
      'that while the handler is still at work, so the claim stays in flight until the invocation is over. Set timeoutEarlyInMillis to 0, or use ' +
      'middy(onceOverHttp(options, handler)), where an early time-out harms nothing.',
  );
}
