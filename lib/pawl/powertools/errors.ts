import { explained } from '../kernel/error-code.ts';
import type { ErrorKind } from '../kernel/error-kind.ts';

/*
 * The errors that a caller of Powertools' idempotency looks for. Each carries pawl's brand as well, so that it says to a door of pawl around the call what pawl's own
 * error would say. By brand, and not by a class of pawl's: the classes here have Powertools' hierarchy.
 */

/**
 * What the errors of this entry have in common.
 *
 * @example
 * declare const error: unknown;
 * if (error instanceof IdempotencyUnknownError) console.warn(`nothing was run: ${error.message}`);
 */
export class IdempotencyUnknownError extends Error {
  override readonly name: string = 'IdempotencyUnknownError';
}

/**
 * Another worker runs the call, of pawl or of Powertools; or it is not known yet whether an earlier one applied its effect. Nothing was run: call again after `retryAfterMs`.
 *
 * @example
 * declare const error: unknown;
 * if (error instanceof IdempotencyAlreadyInProgressError) console.warn(`call again in ${error.retryAfterMs} ms`);
 */
export class IdempotencyAlreadyInProgressError extends IdempotencyUnknownError {
  override readonly name = 'IdempotencyAlreadyInProgressError';
  /** @internal */
  readonly 'pawl.error' = 'retryable' satisfies ErrorKind;
  /** In milliseconds. */
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs: number) {
    super(explained(message, 'call-not-done'));
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The key was used with another payload, by what `payloadValidationJmesPath` selects. Nothing was run, and no repetition helps.
 *
 * @example
 * declare const error: unknown;
 * if (error instanceof IdempotencyValidationError) console.warn('two payloads under one key');
 */
export class IdempotencyValidationError extends IdempotencyUnknownError {
  override readonly name = 'IdempotencyValidationError';
  /** @internal */
  readonly 'pawl.error' = 'rejected' satisfies ErrorKind;
  constructor() {
    super(explained('nothing was run: the key was used before with another payload', 'key-reused'));
  }
}

/**
 * The payload has no key. It never runs.
 *
 * @example
 * declare const error: unknown;
 * if (error instanceof IdempotencyKeyError) console.warn(error.message); // names the path that selects nothing
 */
export class IdempotencyKeyError extends IdempotencyUnknownError {
  override readonly name = 'IdempotencyKeyError';
  /** @internal */
  readonly 'pawl.error' = 'invalid-message' satisfies ErrorKind;
}

/**
 * A table did not respond, or refused the request. Nothing was run: call again later. `cause` is the store's own error.
 *
 * @example
 * declare const error: unknown;
 * if (error instanceof IdempotencyPersistenceLayerError) console.error('nothing was run', error.cause);
 */
export class IdempotencyPersistenceLayerError extends IdempotencyUnknownError {
  override readonly name = 'IdempotencyPersistenceLayerError';
  /** @internal */
  readonly 'pawl.error' = 'retryable' satisfies ErrorKind;
}
