import { forgetNoted, noting } from '../engine/made-inside.ts';
import { expectRun, isPromise } from '../kernel/callable.ts';
import { expect } from '../kernel/check.ts';
import { explainedError } from '../kernel/errors.ts';
import type { ClaimStore, ClaimWrite } from '../rules/store.ts';
import { type Carried, type Load, WriteCarrier } from './carrier.ts';
import { type CommitWrite, type DeferredWrite, type MadeWrites, makerOf, type WriteMaker } from './deferred-write.ts';
import { expectReturned } from './made-messages.ts';
import { CommitRefusedError, type Refusal } from './refused.ts';
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
    'transact' in store ? 'a postgresStore: import the function from pawl/postgres' : 'a store that cannot',
    'wrong-store',
  );
}

/**
 * Runs a function of writes, before anything is committed.
 *
 * @returns what it returned
 * @throws RetryableError when that is a generator, or is without a message that the function has made; OptionError when it is no list; what the function throws
 */
export async function writesFrom(
  run: () => Promise<readonly CommitWrite[]> | readonly CommitWrite[],
): Promise<readonly CommitWrite[]> {
  const made = new Set<object>();
  const returned = expectRun(await noting(made, run), 'the function of writes');
  expect(
    Array.isArray(returned),
    'writes',
    'a function that returns a list of writes; an empty one commits nothing',
    returned,
    'wrong-handler',
  );
  expectReturned(made, returned);
  return returned;
}

/** A write, and its place among those that the author gave. */
interface Placed<Write> {
  readonly place: number;
  readonly write: Write;
}

const listed = `a list of 1 to ${mostWrites} of them`;

/** @throws OptionError when the store cannot commit, or there are no writes, too many, or one that is none */
export function carrierOf(store: ClaimStore, writes: readonly CommitWrite[]): WriteCarrier {
  return new WriteCarrier(new AppWrites(store, writes));
}

/** Writes to DynamoDB, which a write of a claim carries. */
class AppWrites implements Load {
  readonly #store: TransactionalStore;
  /** The application's own writes, each with its place among all. */
  readonly #plain: readonly Placed<AppWrite>[];
  /** Those that are made for each commit, by what makes them. */
  readonly #deferred: ReadonlyMap<WriteMaker, readonly DeferredWrite[]>;
  readonly follow: Load['follow'];
  #made: readonly MadeWrites[] | undefined;

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
      const isOwn = maker?.kind !== 'postgres';
      expect(
        isOwn,
        `writes[${place}]`,
        'a write of DynamoDB',
        'a message of postgresOutbox, for commit of pawl/postgres',
      );
      if (maker?.kind !== 'dynamodb') plain.push({ place, write: write as AppWrite });
      else deferred.set(maker, [...(deferred.get(maker) ?? []), write as DeferredWrite]);
    }
    const made = [...deferred].map(([maker, theirs]) => maker.actionsOf(theirs));
    const actions = made.reduce((sum, one) => sum + one, plain.length);
    expect(actions <= mostWrites, 'writes', listed, actions);
    // Inside of another function of writes: that one needs not return what is committed here.
    forgetNoted(writes as readonly object[]);
    this.#store = store;
    this.#plain = plain;
    this.#deferred = deferred;
    if (deferred.size > 0) this.follow = (until, isKnown) => this.#follow(until, isKnown);
  }

  async carry(claimWrite: ClaimWrite): Promise<Carried> {
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
    return { applied: false, refusal: new CommitRefusedError(lasting.map((refusal) => this.#placed(refusal))) };
  }

  async #follow(until: number, isKnown: boolean): Promise<void> {
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
}
