import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { granted } from '../kernel/granted.ts';
import type { Host } from '../kernel/host.ts';
import { printEvent } from '../kernel/listener.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { openShards, shardName } from '../rules/open.ts';
import { lockPlace } from './listed.ts';
import { type LockDesk, type LockView, readLock, viewOf } from './lock-view.ts';
import {
  type LockReleasedEvent,
  planRelease,
  type ReleaseDesk,
  type ReleasePlan,
  type ReleaseResult,
  type ReleaseWanted,
  release,
} from './release.ts';
import { type Resource, resourceId } from './resource.ts';
import type { LockStore, OperatesLocks } from './store.ts';

/*
 * What an operator can see of locks, and do about them.
 *
 * Owns: what may be asked, and the lists. Does not own: what a lock looks like (`lock-view.ts`), and its release (`release.ts`).
 */

const docs = 'docs/guides/locks.md';
const pageSize = 100;

/**
 * The options of `lockOperator`.
 *
 * @example
 * const options: LockOperatorOptions = { store: lockStore, onEvent: (event) => console.log(JSON.stringify(event)) };
 */
export interface LockOperatorOptions {
  /** The store of the locks: `dynamoLockStore(dynamoStore({ tableName }))`. */
  readonly store: LockStore & OperatesLocks;
  /**
   * The audit trail: every release, after it has happened. What a listener throws is ignored.
   * @default one line of JSON to `console.warn`
   */
  readonly onEvent?: (event: LockReleasedEvent) => void;
  /**
   * The clock. Only tests set it.
   * @default that of Node
   */
  readonly host?: Host;
}

/** What an operator can see of locks, and do about them. */
export interface LockOperator {
  /**
   * The locks that stand, the oldest of each shard first, in pages. A lock is listed from its second write on: one that is renewed, or kept.
   *
   * @throws OptionError when the store lists no locks; the store's error
   * @example
   * for await (const locks of lockOperator({ store: lockStore }).list()) {
   *   for (const { id, status, holder, since } of locks) console.log(id, status, holder, new Date(since));
   * }
   */
  list(query?: { readonly status?: 'held' | 'kept' | undefined }): AsyncGenerator<readonly LockView[], void, undefined>;
  /** One lock, also one that has ended, for as long as it is kept. Its id may be without `#lock#`. @returns undefined if there is none */
  read(id: string): Promise<LockView | undefined>;
  /** The lock that a resource was last under. @returns undefined if there is none */
  readOf(resource: Resource): Promise<LockView | undefined>;
  /** What a release of these locks would do. Writes nothing. @throws OptionError; the store's error */
  planRelease(wanted: ReleaseWanted): Promise<ReleasePlan>;
  /**
   * Carries a plan out, a lock at a time. Each is read again, and is released only if it is the one that the plan has seen, and no worker may be at it. Its
   * resources are free then, for every holder. The work under it may be half done.
   */
  release(
    plan: ReleasePlan,
    acting?: { readonly signal?: AbortSignal | undefined },
  ): AsyncGenerator<ReleaseResult, void, undefined>;
}

const known = { store: true, onEvent: true, host: true } as const satisfies NamesOf<LockOperatorOptions>;

/**
 * What an operator can see of locks, and do about them: who holds which resources since when, and the release of a lock that no worker holds.
 *
 * The role needs what `ClaimsTable.grantOperate` grants.
 *
 * @throws OptionError at once when an option is missing or wrong
 * @example
 * const desk = lockOperator({ store: lockStore });
 * const plan = await desk.planRelease({ locks: [{ id: lock.id }], by: 'maria', note: 'the payment was cancelled' });
 * for await (const { id, outcome } of desk.release(plan)) console.log(id, outcome);
 */
export function lockOperator(options: LockOperatorOptions): LockOperator {
  expectOptions(options, { door: 'lockOperator', known, docs });
  const { store, host = nodeHost, onEvent = printEvent } = options;
  const isOne = (['read', 'update', 'listPlace'] as const).every(
    (name) => typeof propertyOf(store, name) === 'function',
  );
  expect(isOne, 'store', 'a lock store, such as dynamoLockStore(dynamoStore({ tableName }))', store, 'wrong-store');
  expectFunction('onEvent', 'a function', onEvent);
  const desk: ReleaseDesk = { store: granted(store, 'claimsTable.grantOperate(role)'), host, onEvent };
  return {
    list: (query = {}) => list(desk, query),
    async read(id) {
      const found = await readLock(desk, id);
      return found && viewOf(desk, found);
    },
    async readOf(resource) {
      const [found] = await desk.store.read([resourceId(resource, host)]);
      const lock = found?.kind === 'resource' ? await readLock(desk, found.lockId) : undefined;
      return lock && viewOf(desk, lock);
    },
    planRelease: (wanted) => planRelease(desk, wanted),
    release: (plan, acting = {}) => release(desk, plan, acting),
  };
}

async function* list(desk: LockDesk, query: { readonly status?: 'held' | 'kept' | undefined }) {
  expectOptions(query, { door: 'lockOperator().list', known: { status: true }, docs });
  const { store, host } = desk;
  const until = host.now();
  for (let shard = 0; shard < openShards; shard++) {
    const place = lockPlace(shardName(shard));
    let after: Awaited<ReturnType<typeof store.listPlace>>['after'];
    do {
      const page = await store.listPlace({ place, until, limit: pageSize, after });
      after = page.after;
      if (page.entries.length === 0) continue;
      const found = await store.read(page.entries.map(({ id }) => id));
      const locks = found.flatMap((one) => (one?.kind === 'lock' && one.status !== 'ended' ? viewOf(desk, one) : []));
      yield locks.filter(({ status }) => query.status === undefined || status === query.status);
    } while (after !== undefined);
  }
}
