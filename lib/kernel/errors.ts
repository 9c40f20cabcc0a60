/**
 * Errors are told apart by this brand, see `errorKind`. A text and no symbol: a bundler keeps a class with a computed field,
 * whether or not anybody throws it.
 */
const brand = 'pawl.error';

export interface RetryableErrorOptions extends ErrorOptions {
  /**
   * How long an earlier retry is wasted, in milliseconds: what the handler waits for ends then. The message stays invisible
   * for so long, and that is no failure of its own.
   * @default the back-off of the consumer
   */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Throw it from a handler when nothing was applied and the message should be tried again: the claim is released. Do not
 * let one of an inner call through when the outer handler has already applied something: it says so of the whole handler.
 *
 * @example
 * if (response.status === 429) throw new RetryableError('the provider asks to slow down', { retryAfterMs: 60_000 });
 */
export class RetryableError extends Error {
  override readonly name: string = 'RetryableError';
  /** @internal */
  readonly 'pawl.error' = 'retryable';
  readonly retryAfterMs: number | undefined;
  constructor(message?: string, { retryAfterMs, ...options }: RetryableErrorOptions = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Throw it from a handler when the effect can never be applied: the claim is closed for good, duplicates get the same
 * answer, and the message goes to the dead-letter queue.
 *
 * @example
 * if (response.status === 410) throw new RejectedError('this gift card product is no longer sold');
 */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
  /** @internal */
  readonly 'pawl.error' = 'rejected';
}

/**
 * Throw it from a handler when nobody can say whether its effect happened, and it must not be tried: the claim is parked, whatever
 * `onAbandoned` says of errors in general.
 *
 * @example
 * if (response.status === 504) throw new InDoubtError('the bank did not answer in time');
 */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';
  /** @internal */
  readonly 'pawl.error' = 'in-doubt';
}

/** What an error thrown by a handler says about its effect, in the author's judgement. */
export type Classification = 'retryable' | 'rejected' | 'unknown';

/** An option was missing or out of range. Thrown when the consumer is set up, never while messages are handled. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** The author's key function returned nothing that identifies an effect, or a message cannot be read. It never runs. */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';
  readonly problem: 'missing-key' | 'invalid-key' | 'invalid-message';
  constructor(problem: InvalidMessageError['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The claims store did not answer, or refused. Nothing was run; try again later. `cause` is the store's own error. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * There is too little time left, or the claim has been taken over. Thrown by `claim.effect` before it starts anything,
 * and the reason with which `claim.signal` is aborted. It says nothing about the effect: a request that was aborted in
 * mid-air may have been applied.
 */
export class LeaseError extends Error {
  override readonly name = 'LeaseError';
}

/**
 * How long an earlier retry is wasted, as an error says that was thrown because nothing was applied. In milliseconds.
 *
 * @internal
 */
export function retryAfterOf(error: unknown): number | undefined {
  try {
    if (errorKind(error) !== 'retryable') return undefined;
    const { retryAfterMs } = error as Partial<RetryableError>;
    return typeof retryAfterMs === 'number' && retryAfterMs > 0 && Number.isFinite(retryAfterMs)
      ? retryAfterMs
      : undefined;
  } catch {
    // An error that cannot even be looked at says nothing. Thrown from here, it would take its whole batch along.
    return undefined;
  }
}

/** Lets what was answered fail later, unheard: a rejection that nobody handles would end the process. */
export function letFail(answered: unknown): void {
  if (answered) Promise.resolve(answered).catch(() => undefined);
}

/**
 * What an error says about the effect. By brand rather than by name: an error of the author's that happens to be called
 * the same must not be taken for ours, and two copies of pawl in one bundle must understand each other.
 *
 * @internal
 */
export function errorKind(error: unknown): 'retryable' | 'rejected' | 'in-doubt' | undefined {
  try {
    return Object(error)[brand];
  } catch {
    // An error that cannot even be looked at has not said anything.
    return undefined;
  }
}
