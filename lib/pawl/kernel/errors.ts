import { type ErrorCode, explained } from './error-code.ts';
import { type ErrorKind, errorKind } from './error-kind.ts';
import { propertyOf } from './unknown.ts';

export interface RetryableErrorOptions extends ErrorOptions {
  /**
   * How long to wait before the next attempt, in milliseconds. An earlier retry is wasted: what the handler waits for ends then. The
   * message stays invisible for so long, and pawl does not count that as a failure.
   * @default the back-off of the consumer
   */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Throw it from a handler when nothing was applied and the message should be tried again: the claim is released.
 *
 * If the handler has already applied something, catch the `RetryableError` of an inner call: one that escapes tells pawl that the whole
 * handler applied nothing.
 *
 * @example
 * const response = await fetch('https://mail.example.com/send');
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
 * Throw it from a handler when the effect can never be applied: the claim is rejected, duplicates get the same
 * error, and the message goes to the dead-letter queue.
 *
 * @example
 * const response = await fetch('https://cards.example.com/issue');
 * if (response.status === 410) throw new RejectedError('this gift card product is no longer sold');
 */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
  /** @internal */
  readonly 'pawl.error' = 'rejected';
}

/**
 * Throw it from a handler when it is not known whether its effect happened, and it must not be tried again: the claim is parked, whatever
 * the policy of `onAbandoned` is.
 *
 * @example
 * const response = await fetch('https://bank.example.com/charge');
 * if (response.status === 504) throw new InDoubtError('the bank sent no response in time');
 */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';
  /** @internal */
  readonly 'pawl.error' = 'in-doubt';
}

/**
 * The effect of a call of `once` has happened, and its result was not kept: it was too large, or no JSON; results were not recorded; an operator
 * decided; or the handler failed after its effect. It is final, and the call is not to be repeated: its effect is done. `f.outcome(input)` tells
 * it without an error. A function whose result no caller reads sets `recordResult: false`, and its calls never throw this.
 *
 * In the handler of another door it means that the handler cannot go on: its claim is rejected, and its message goes to the dead-letter queue.
 *
 * @example
 * await refund(payment).catch((error) => {
 *   if (!(error instanceof ResultNotKeptError)) throw error;
 *   return bank.find(`refund#${payment.id}`); // it is done: look up what it came to
 * });
 */
export class ResultNotKeptError extends Error {
  override readonly name = 'ResultNotKeptError';
  /** @internal What it says of the handler around the call. */
  readonly 'pawl.error' = 'rejected';
  /** The heading of `docs/errors.md` that explains it. */
  readonly code = 'result-not-kept';
  constructor(
    message = 'this call is done, and its result was not kept. If no caller reads it, set recordResult: false',
    options?: ErrorOptions,
  ) {
    super(explained(message, 'result-not-kept'), options);
  }
}

/** What an error thrown by a handler says about its effect, in the author's judgement. */
export type Classification = 'retryable' | 'rejected' | 'unknown';

/**
 * An option was missing or out of range. Thrown when the consumer is set up, never while messages are handled. With one exception: if the name of a table
 * or the URL of a queue is missing, the first call reports it.
 *
 * @example
 * try {
 *   once({ operation: 'send email', store, key: (id: string) => id, onAbandoned: 'park' }, () => undefined);
 * } catch (error) {
 *   if (error instanceof OptionError) console.error(error.message); // names the option, and what was expected
 * }
 */
export class OptionError extends Error {
  override readonly name = 'OptionError';
  /** @internal */
  readonly 'pawl.error' = 'option';
  /** The heading of `docs/errors.md` that explains it. */
  readonly code: string;
  constructor(message: string, code: ErrorCode = 'wrong-option') {
    super(explained(message, code));
    this.code = code;
  }
}

/**
 * The claims table, a queue, or the permission to use it is not as pawl needs it. No repetition helps: an operator has to change what the message
 * names. Nothing has run.
 *
 * @example
 * await refund(payment).catch((error) => {
 *   if (error.cause instanceof SetupError) console.error(`for the operator: ${error.cause.code}`); // such as missing-table
 *   throw error;
 * });
 */
export class SetupError extends Error {
  override readonly name = 'SetupError';
  /** @internal */
  readonly 'pawl.error' = 'setup';
  /** The heading of `docs/errors.md` that explains it. */
  readonly code: string;
  /** @internal */
  readonly 'pawl.advised'?: ((grant: string) => SetupError) | undefined;
  constructor(
    message: string,
    code: ErrorCode,
    options?: ErrorOptions & { readonly advised?: (grant: string) => SetupError },
  ) {
    super(explained(message, code), options);
    this.code = code;
    // Not in a log: it is no fact of the error.
    if (options?.advised) Object.defineProperty(this, 'pawl.advised', { value: options.advised });
  }
}

/**
 * The author's key function returned nothing that identifies an effect, or a message cannot be read. It never runs.
 *
 * @example
 * await refund({ ...payment, id: '' }).catch((error) => {
 *   if (error instanceof InvalidMessageError && error.problem === 'missing-key') console.error('a payment needs an id');
 * });
 */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';
  /** @internal */
  readonly 'pawl.error' = 'invalid-message';
  readonly problem: 'missing-key' | 'invalid-key' | 'invalid-message';
  /** The heading of `docs/errors.md` that explains it. */
  readonly code: string;
  constructor(problem: InvalidMessageError['problem'], message: string) {
    super(explained(message, problem));
    this.problem = problem;
    this.code = problem;
  }
}

/**
 * The claims store did not respond, or refused the request. Nothing was run; try again later. `cause` is the store's own error.
 *
 * @example
 * await refund(payment).catch((error) => {
 *   if (error instanceof StoreUnavailableError) console.warn('nothing was run: call again later', error.code);
 *   else throw error;
 * });
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** @internal */
  readonly 'pawl.error': ErrorKind = 'store-unavailable';
  /** The heading of `docs/errors.md` that explains it: `missing-table`, for example. */
  readonly code: string;
  constructor(message = 'the store failed', options?: ErrorOptions) {
    super(explained(message, 'store-unavailable'), options);
    const cause = options?.cause;
    // Its message ends with the place of the cause, so its code is that place.
    const said = isSetupError(cause) || errorKind(cause) === 'option' ? propertyOf(cause, 'code') : undefined;
    this.code = typeof said === 'string' ? said : 'store-unavailable';
  }
}

/** The store failed before anything was begun: said of the handler around the call, it leaves nothing in doubt, whether the store has the request or not. */
export class NothingRunError extends StoreUnavailableError {
  /** @internal */
  override readonly 'pawl.error' = 'retryable';
}

/**
 * There is too little time left, or another worker has taken the claim over. Thrown by `claim.effect` before it starts anything,
 * and the reason with which `claim.signal` is aborted. It says nothing about the effect: a request that was aborted in
 * mid-air may have been applied.
 *
 * @example
 * claim.signal.addEventListener('abort', () => {
 *   if (claim.signal.reason instanceof LeaseError) console.warn('no time is left for this attempt');
 * });
 */
export class LeaseError extends Error {
  override readonly name = 'LeaseError';
  /** @internal */
  readonly 'pawl.error': ErrorKind = 'lease';
  /** The heading of `docs/errors.md` that explains it. */
  readonly code = 'lease-over';
  constructor(message = 'the time is over', options?: ErrorOptions) {
    super(explained(message, 'lease-over'), options);
  }
}

/** Too little time was left before anything was begun: said of the handler around the call, it leaves nothing in doubt. */
export class NotStartedError extends LeaseError {
  /** @internal */
  override readonly 'pawl.error' = 'retryable';
}

/** An error of pawl's own for which there is no class: its message ends with where to read more, and its `code` is that heading. */
export function explainedError<Thrown extends Error>(
  Type: new (message: string, options?: ErrorOptions) => Thrown,
  message: string,
  code: ErrorCode,
  options?: ErrorOptions,
): Thrown & { readonly code: ErrorCode } {
  return Object.assign(new Type(explained(message, code), options), { code });
}

/** Whether an error says that an operator has to change something before anything can run. @internal */
export function isSetupError(error: unknown): error is SetupError {
  return errorKind(error) === 'setup';
}
