import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { granted } from '../kernel/granted.ts';
import type { Host } from '../kernel/host.ts';
import { callListener, printEvent } from '../kernel/listener.ts';
import { joined, ownParts, partsOf } from '../kernel/name.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { openShards, shardName } from '../rules/open.ts';
import { expectActedBy } from '../rules/resolve.ts';
import { isExclusive } from './decide.ts';
import { firstIn, lockPlace } from './listed.ts';
import type { LockRecord, LockStatus, ReleasedLock } from './record.ts';
import { type Resource, resourceId } from './resource.ts';
import { type ReleaseRefusal, releaseLock } from './settle.ts';
import type { LockStore, OperatesLocks } from './store.ts';

/*
 * What an operator can see of locks, and do about them.
 *
 * Owns: lists, views, and the release of a lock. Does not own: whether a lock may be released (`settle.ts`), or what becomes of the work under it: its holder's
 * next attempt goes on with it, or the author gives it up.
 */

const docs = 'docs/guides/locks.md';
/** How far the clock of the worker that holds a lock may be from this one. */
const skewMs = 1000;
const pageSize = 100;

/** One act of an operator on a lock, as it is reported to `onEvent`. */
export interface LockReleasedEvent {
  readonly type: 'lock-released';
  /** Of the lock. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly note: string;
  /** The revision of the lock that was released. */
  readonly fence: number;
  /** How many resources are free. */
  readonly resources: number;
}

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

/** A lock, as an operator sees it. Times are epoch milliseconds. */
export interface LockView {
  readonly id: string;
  /** `held`: a worker is at it, or was until its lease ended. `kept`: it waits for its holder's next attempt. */
  readonly status: LockStatus;
  /** Whether its worker may be alive: then only that worker ends it. */
  readonly mayBeAlive: boolean;
  /** The request that holds it. */
  readonly holder: string;
  /** Why it was locked, in the author's words. */
  readonly reason: string;
  /** Since when the holder has had it, over all its attempts. */
  readonly since: number;
  /** Until when other holders wait for it. */
  readonly until: number;
  /** How many resources it is over. */
  readonly resources: number;
  /** The first of them, by their parts. A part of which only a hash is kept is `undefined`. */
  readonly first: readonly (readonly (string | undefined)[])[];
  /** Counts the changes of the lock. A release refers to it. */
  readonly fence: number;
  /** The release of an operator. */
  readonly released?: ReleasedLock | undefined;
}

/** Why a lock stays. */
export type LockStays = ReleaseRefusal;

/** What a release would do about one lock. */
export type PlannedRelease =
  | { readonly id: string; readonly will: 'release'; readonly fence: number; readonly lock: LockView }
  | { readonly id: string; readonly will: 'stay'; readonly whyNot: LockStays; readonly lock: LockView | undefined };

/**
 * What a release would do. Plain data.
 *
 * @example
 * const plan: ReleasePlan = await lockOperator({ store: lockStore }).planRelease({ locks: [{ id: lock.id }], by: 'maria', note: 'cancelled' });
 * console.log(plan.count, 'would be released');
 */
export interface ReleasePlan {
  /** Who releases them. */
  readonly by: string;
  /** Why. The record of each lock keeps it. */
  readonly note: string;
  /** What would become of each lock that was named. */
  readonly items: readonly PlannedRelease[];
  /** How many would be released. */
  readonly count: number;
}

/** What became of one lock. */
export type ReleaseResult =
  | { readonly id: string; readonly outcome: 'released'; readonly lock: LockView }
  | { readonly id: string; readonly outcome: 'stays'; readonly whyNot: LockStays };

/**
 * What is to be released, and why.
 *
 * @example
 * const wanted: ReleaseWanted = { locks: [{ id: lock.id }], by: 'maria', note: 'the payment was cancelled' };
 */
export interface ReleaseWanted {
  /** The locks, by their ids; with the `fence` that was seen, only if it is still that one. */
  readonly locks: readonly { readonly id: string; readonly fence?: number | undefined }[];
  /** Who releases them. */
  readonly by: string;
  /** Why: at most 2,000 characters. The record of each lock keeps it. */
  readonly note: string;
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

interface Desk {
  readonly store: LockStore & OperatesLocks;
  readonly host: Host;
  readonly onEvent: (event: LockReleasedEvent) => void;
}

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
  const desk: Desk = { store: granted(store, 'claimsTable.grantOperate(role)'), host, onEvent };
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

async function* list(desk: Desk, query: { readonly status?: 'held' | 'kept' | undefined }) {
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

/** @param name the id of a lock, whole or without `#lock#`: a shell takes a word that begins with `#` for a comment */
async function readLock({ store }: Desk, name: string): Promise<LockRecord | undefined> {
  const [found] = await store.read([name.startsWith('#') ? name : joined(ownParts('lock', name))]);
  return found?.kind === 'lock' ? found : undefined;
}

function viewOf({ host }: Desk, lock: LockRecord): LockView {
  const { id, status, holder, reason, since, leaseUntil, resources, rev, released } = lock;
  return {
    id,
    status,
    mayBeAlive: status === 'held' && isExclusive(lock, { skewMs }, host.now()),
    holder,
    reason,
    since,
    until: leaseUntil,
    resources,
    // Without what tells a resource from other items.
    first: firstIn(lock).map((one) => partsOf(one).slice(2)),
    fence: rev,
    released,
  };
}

async function planRelease(desk: Desk, wanted: ReleaseWanted): Promise<ReleasePlan> {
  expectOptions(wanted, { door: 'lockOperator().planRelease', known: { locks: true, by: true, note: true }, docs });
  const { locks, by, note } = wanted;
  expect(Array.isArray(locks), 'locks', "a list of locks, such as [{ id: '#lock#…' }]", locks);
  expectActedBy(by, note);
  const items: PlannedRelease[] = [];
  for (const { id, fence } of locks) {
    const found = await readLock(desk, id);
    const now = desk.host.now();
    const decided = releaseLock(found, fence ?? found?.rev ?? 0, { at: now, by, note }, { skewMs }, now);
    const lock = found && viewOf(desk, found);
    if (decided.kind === 'write') {
      items.push({ id, will: 'release', fence: decided.seen.rev, lock: viewOf(desk, decided.seen) });
    } else items.push({ id, will: 'stay', whyNot: decided.kind === 'refused' ? decided.why : 'ended', lock });
  }
  return { by, note, items, count: items.filter(({ will }) => will === 'release').length };
}

async function* release(
  desk: Desk,
  plan: ReleasePlan,
  acting: { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<ReleaseResult, void, undefined> {
  expectOptions(acting, { door: 'lockOperator().release', known: { signal: true }, docs });
  expect(Array.isArray(propertyOf(plan, 'items')), 'plan', 'the plan that planRelease has made', plan);
  const { by, note } = plan;
  for (const item of plan.items) {
    if (acting.signal?.aborted) return;
    if (item.will === 'stay') yield { id: item.id, outcome: 'stays', whyNot: item.whyNot };
    else yield await releaseOne(desk, item, { at: desk.host.now(), by, note });
  }
}

async function releaseOne(
  desk: Desk,
  { id, fence }: Extract<PlannedRelease, { readonly will: 'release' }>,
  released: ReleasedLock,
): Promise<ReleaseResult> {
  let found = await readLock(desk, id);
  for (;;) {
    const decided = releaseLock(found, fence, released, { skewMs }, desk.host.now());
    if (decided.kind === 'refused') return { id, outcome: 'stays', whyNot: decided.why };
    const record = decided.kind === 'write' ? decided.next : decided.record;
    if (decided.kind === 'write') {
      const result = await desk.store.update(decided);
      // What stands there is another revision, which refuses, or the write itself, whose response was lost.
      if (!result.applied) {
        found = result.found[0]?.kind === 'lock' ? result.found[0] : undefined;
        continue;
      }
    }
    const { resources } = record;
    callListener(desk.onEvent, { type: 'lock-released', id, ...released, fence, resources });
    return { id, outcome: 'released', lock: viewOf(desk, record) };
  }
}
