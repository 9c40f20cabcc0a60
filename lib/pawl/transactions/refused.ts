import { explained } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { propertyOf } from '../kernel/unknown.ts';

/** Why one of the application's writes, by its index, kept the transaction from being applied. */
export interface Refusal {
  /** -1: none of them by itself. */
  readonly index: number;
  /** The database's: `ConditionalCheckFailed`, `ValidationError`, …; in PostgreSQL the SQLSTATE, such as `23505`. */
  readonly code: string;
  readonly message: string;
  /** What stands there, if the write asked for it with `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'`. */
  readonly item?: Record<string, unknown> | undefined;
}

/**
 * A condition of the application's own kept its writes from being committed: an account that holds too little, an entry that is
 * there already. Nothing was applied, and the claim is still held. If the handler lets it through, the claim is released, and the message comes again.
 * If the handler throws a `RejectedError` in its place, the claim ends.
 *
 * @example
 * function codesOf(error: unknown): readonly string[] {
 *   return error instanceof CommitRefusedError ? error.refusals.map(({ code }) => code) : [];
 * }
 */
export class CommitRefusedError extends Error {
  override readonly name = 'CommitRefusedError';
  /** Which of the writes, and why. */
  readonly refusals: readonly Refusal[];
  /** @internal */
  readonly 'pawl.error' = 'retryable';

  constructor(refusals: readonly Refusal[], options?: ErrorOptions) {
    super(explained(`nothing was committed: ${refusals.map(described).join('; ')}`, 'not-committed'), options);
    this.refusals = refusals;
  }
}

function described({ index, code, message }: Refusal): string {
  return `${index < 0 ? 'all writes' : `write ${index}`}: ${code} ${message}`;
}

/** Whether an error is a `CommitRefusedError`, by its brand and its facts. @internal */
export function isCommitRefused(error: unknown): error is CommitRefusedError {
  return errorKind(error) === 'retryable' && Array.isArray(propertyOf(error, 'refusals'));
}
