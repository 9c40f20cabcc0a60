import type { Refusal } from './store.ts';

/**
 * A condition of the application's own kept its writes from being committed: an account that holds too little, an entry that is
 * there already. Nothing was applied, and the claim is still held. Let through, it releases the claim, and the message comes again;
 * caught and answered with a `RejectedError`, it ends it.
 */
export class CommitRefusedError extends Error {
  override readonly name = 'CommitRefusedError';
  /** Which of the writes, and why. */
  readonly refusals: readonly Refusal[];
  /** @internal */
  readonly 'pawl.error' = 'retryable';

  constructor(refusals: readonly Refusal[]) {
    super(`nothing was committed: ${refusals.map(described).join('; ')}`);
    this.refusals = refusals;
  }
}

function described({ index, code, message }: Refusal): string {
  return `${index < 0 ? 'all writes' : `write ${index}`}: ${code} ${message}`;
}
