import { expectRun, isPromise } from '../kernel/callable.ts';
import { expect } from '../kernel/check.ts';
import { explainedError, LeaseError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import type { ClaimStore } from '../rules/store.ts';
import { type CommitWrite, type DeferredWrite, type MadeWrites, makerOf, type WriteMaker } from './deferred-write.ts';
import { CommitRefusedError } from './refused.ts';
import { type AppWrite, mostWrites, type Refusal, type TransactionalStore } from './store.ts';

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
export function expectWrites(writes: readonly CommitWrite[]): readonly CommitWrite[] {
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

/** A write, and its place among those that the author gave. */
interface Placed<Write> {
  readonly place: number;
  readonly write: Write;
}

const listed = `a list of 1 to ${mostWrites} of them`;

/**
 * A write of a claim that carries writes of the application's.
 *
 * @internal
 */
export class WriteCarrier {
  readonly #store: TransactionalStore;
  /** The application's own writes, each with its place among all. */
  readonly #plain: readonly Placed<AppWrite>[];
  /** Those that are made for each commit, by what makes them. */
  readonly #deferred: ReadonlyMap<WriteMaker, readonly DeferredWrite[]>;
  #made: readonly MadeWrites[] | undefined;
  /** That the application's part of a try was refused. */
  #refused: CommitRefusedError | undefined;

  /** @throws OptionError when the store cannot do that, or there are no writes, too many, or one that is none */
  constructor(store: ClaimStore, writes: readonly CommitWrite[]) {
    expectTransactional(store);
    const isList = Array.isArray(writes);
    expect(isList && writes.length > 0, 'writes', listed, isList ? 0 : writes);
    const plain: Placed<AppWrite>[] = [];
    const deferred = new Map<WriteMaker, DeferredWrite[]>();
    for (const [place, write] of writes.entries()) {
      const isWrite = typeof write === 'object' && write !== null && !isPromise(write);
      expect(
        isWrite,
        `writes[${place}]`,
        'a Put, Update, Delete or ConditionCheck',
        write === null ? 'null' : isPromise(write) ? write : typeof write,
      );
      const maker = makerOf(write);
      if (maker === undefined) plain.push({ place, write: write as AppWrite });
      else deferred.set(maker, [...(deferred.get(maker) ?? []), write as DeferredWrite]);
    }
    const made = [...deferred].map(([maker, theirs]) => maker.actionsOf(theirs));
    const actions = made.reduce((sum, one) => sum + one, plain.length);
    expect(actions <= mostWrites, 'writes', listed, actions);
    this.#store = store;
    this.#plain = plain;
    this.#deferred = deferred;
  }

  /** In place of the store's own `write`. */
  readonly write: ClaimStore['write'] = async (claimWrite) => {
    this.#made ??= await Promise.all(Array.from(this.#deferred, ([maker, writes]) => maker.make(writes)));
    const own = this.#plain.map(({ write }) => write);
    const committed = await this.#store.commit(claimWrite, [...own, ...this.#made.flatMap(({ actions }) => actions)]);
    if (!('refused' in committed)) return committed;
    const lasting = committed.refused.filter((refusal) => !this.#isOutrun(refusal));
    if (lasting.length === 0) {
      this.#made = undefined;
      throw explainedError(
        Error,
        'another commit was faster: the place of a message in its group is taken',
        'not-committed',
      );
    }
    this.#refused = new CommitRefusedError(lasting.map((refusal) => this.#placed(refusal)));
    // Ends the trying: a claim that is not found is not changed.
    return { applied: false, found: undefined };
  };

  /** Whether anything follows the commit. */
  get isFollowed(): boolean {
    return this.#deferred.size > 0;
  }

  /** Does what follows the commit, in time. Never throws. @param isKnown whether the writes are known to be applied, and not only that the claim is complete */
  async follow(until: number, isKnown = true): Promise<void> {
    await Promise.all((this.#made ?? []).map((made) => made.follow(until, isKnown)));
  }

  #isOutrun({ index, code }: Refusal): boolean {
    let inMade = index - this.#plain.length;
    for (const made of this.#made ?? []) {
      if (inMade >= 0 && inMade < made.actions.length) return made.isOutrun({ index: inMade, code });
      inMade -= made.actions.length;
    }
    return false;
  }

  /** A refusal with the place of the author's write. What was made of a message is about none of them by itself. */
  #placed(refusal: Refusal): Refusal {
    return { ...refusal, index: this.#plain[refusal.index]?.place ?? -1 };
  }

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
