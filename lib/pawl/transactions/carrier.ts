import { explainedError, LeaseError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../rules/store.ts';

/** What became of a write with what it carried. `refusal`: the application's part failed, nothing was applied, the claim is as before, and this error says it. */
export type Carried = WriteResult | { readonly applied: false; readonly refusal: unknown };

/** What a write of a claim carries. */
export interface Load {
  /** Applies both, or neither. If it rejects, that is not known, and it is called again. */
  carry(write: ClaimWrite): Promise<Carried>;
  /** Does what follows the commit. Never throws, and ends in time. @default nothing does */
  readonly follow?: ((until: number, isKnown: boolean) => Promise<void>) | undefined;
}

/**
 * A write of a claim that carries writes of the application's.
 *
 * Owns: how a refusal of the application's part ends the tries of a change, and what its caller is told. Does not own: the transaction, which is its
 * database's.
 */
export class WriteCarrier {
  readonly #load: Load;
  /** That the application's part of a try was refused. */
  #refused: { readonly error: unknown } | undefined;

  constructor(load: Load) {
    this.#load = load;
  }

  /** In place of the store's own `write`. */
  readonly write: ClaimStore['write'] = async (claimWrite) => {
    const carried = await this.#load.carry(claimWrite);
    if (!('refusal' in carried)) return carried;
    this.#refused = { error: carried.refusal };
    // Ends the trying: a claim that is not found is not changed.
    return { applied: false, found: undefined };
  };

  /** Whether anything follows the commit. */
  get isFollowed(): boolean {
    return this.#load.follow !== undefined;
  }

  /** Does what follows the commit, in time. Never throws. @param isKnown whether the writes are known to be applied, and not only that the claim is complete */
  async follow(until: number, isKnown = true): Promise<void> {
    await this.#load.follow?.(until, isKnown);
  }

  /**
   * Makes a change that goes by `write`.
   *
   * @throws the refusal; LeaseError when the claim is another worker's; RetryableError when the store fails
   */
  async apply(change: () => Promise<'applied' | 'stale'>): Promise<void> {
    let changed: 'applied' | 'stale';
    try {
      changed = await change();
    } catch (cause) {
      // It may have been applied. If so the claim is complete, and to release it fails; if not, to release it ends the transaction's chance.
      throw explainedError(
        RetryableError,
        `nothing is known to be committed: ${recordedError(cause).message}`,
        'not-committed',
        { cause },
      );
    }
    // Applied at a later try: that an earlier try was refused, and says so only now, does not undo it.
    if (changed === 'applied') return;
    if (this.#refused !== undefined) throw this.#refused.error;
    throw new LeaseError('the claim is another worker’s: nothing was committed');
  }
}
