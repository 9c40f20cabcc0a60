import { expectRun, isPromise } from '../kernel/callable.ts';
import { expect } from '../kernel/check.ts';
import { explainedError, LeaseError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import type { ClaimStore } from '../rules/store.ts';
import { CommitRefusedError } from './refused.ts';
import { type AppWrite, mostWrites, type TransactionalStore } from './store.ts';

/**
 * Refuses a store that cannot commit, before anything of a handler runs: a commit that fails after the remote call leaves its effect without
 * its record.
 *
 * @throws OptionError
 * @internal
 */
export function expectTransactional(store: ClaimStore): asserts store is TransactionalStore {
  const commits = 'commit' in store && typeof store.commit === 'function';
  expect(
    commits,
    'store',
    'transactionalStore(dynamoStore({ tableName })), which can commit',
    'a store that cannot',
    'wrong-store',
  );
}

/**
 * What a function of writes returned, before anything is committed.
 *
 * @throws RetryableError when it is a generator, OptionError when it is no list
 */
export function expectWrites(writes: readonly AppWrite[]): readonly AppWrite[] {
  const returned = expectRun(writes, 'the function of writes');
  expect(
    Array.isArray(returned),
    'writes',
    'a function that returns a list of writes; an empty one commits nothing',
    returned,
    'wrong-handler',
  );
  return returned;
}

/**
 * A write of a claim that carries writes of the application's.
 *
 * @internal
 */
export class WriteCarrier {
  readonly #store: TransactionalStore;
  readonly #writes: readonly AppWrite[];
  /** That the application's part of a try was refused. */
  #refused: CommitRefusedError | undefined;

  /** @throws OptionError when the store cannot do that, or there are no writes, too many, or one that is none */
  constructor(store: ClaimStore, writes: readonly AppWrite[]) {
    expectTransactional(store);
    const fits = Array.isArray(writes) && writes.length >= 1 && writes.length <= mostWrites;
    expect(fits, 'writes', `a list of 1 to ${mostWrites} of them`, Array.isArray(writes) ? writes.length : writes);
    for (const [index, write] of writes.entries()) {
      const isWrite = typeof write === 'object' && write !== null && !isPromise(write);
      expect(
        isWrite,
        `writes[${index}]`,
        'a Put, Update, Delete or ConditionCheck',
        write === null ? 'null' : isPromise(write) ? write : typeof write,
      );
    }
    this.#store = store;
    this.#writes = writes;
  }

  /** In place of the store's own `write`. */
  readonly write: ClaimStore['write'] = async (claimWrite) => {
    const committed = await this.#store.commit(claimWrite, this.#writes);
    if (!('refused' in committed)) return committed;
    this.#refused = new CommitRefusedError(committed.refused);
    // Ends the trying: a claim that is not found is not changed.
    return { applied: false, found: undefined };
  };

  /**
   * Makes a change that goes by `write`.
   *
   * @throws CommitRefusedError; LeaseError when the claim is another worker's; RetryableError when the store fails
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
    if (this.#refused !== undefined) throw this.#refused;
    throw new LeaseError('the claim is another worker’s: nothing was committed');
  }
}
