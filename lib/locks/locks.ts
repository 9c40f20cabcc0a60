import { nodeHost } from '../host.ts';
import { expect } from '../kernel/check.ts';
import { StoreUnavailableError } from '../kernel/errors.ts';
import { type Host, sleep } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { type HeldAnswer, type LockAnswer, tryLockAll, type Wish } from './acquire.ts';
import { insisting } from './bounded.ts';
import { isExclusive } from './decide.ts';
import { LockingFailedError, ResourcesBusyError } from './errors.ts';
import { heldBy, readResources } from './found.ts';
import { heard } from './heard.ts';
import type { HeldBy, Lock } from './lock.ts';
import { inside, refuseNested } from './nested.ts';
import {
  checkLockAll,
  type LockAllOptions,
  type LocksOptions,
  lockAllOptionNames,
  lockSettings,
  locksOptionNames,
} from './options.ts';
import { keepRenewed } from './renewal.ts';
import { type Resource, resourceId } from './resource.ts';
import {
  checkRules,
  type Ending,
  type Settled,
  settleWork,
  type UnlockRule,
  type UnlockRules,
} from './unlock-rules.ts';

export interface WithLockOptions extends LockAllOptions {
  /** What becomes of the lock when the work has ended. There is no default: only the author knows what a failure leaves behind. */
  readonly unlock: UnlockRules;
}

const docs = 'docs/locks.md';
const withLockOptionNames = { ...lockAllOptionNames, unlock: true } as const satisfies NamesOf<WithLockOptions>;
const ofWithLock = { unlock: 'it is an option of withLock: this lock is held until its holder ends it' };

/** The lock as the work under it sees it. */
export type WorkingLock = Lock & {
  /** Aborted when the lock turns out to be somebody else's, or its lease ends without having been renewed. */
  readonly signal: AbortSignal;
};

/** The work has returned, and this became of the lock after it. */
export interface Worked<R> {
  readonly outcome: 'done';
  readonly result: R;
  readonly lock: Settled;
}

/** What came of work that may not be begun. */
export type WithLockAnswer<R> = Worked<R> | HeldAnswer;

export interface Locks {
  /**
   * Locks all of the resources, or none. Any sets exclude each other that have a resource in common.
   *
   * @throws ResourcesBusyError when other holders have some of them, and StoreUnavailableError: nothing was applied, and both release
   *   the claim of the handler that lets them through. NestedLockError when the work around the call has some of them;
   *   InvalidMessageError when a resource is nothing that identifies anything; OptionError
   * @example
   * const lock = await locks.lockAll(debts.map((debt) => ['customer', customerId, 'debt', debt]), { holder: claim.effectKey });
   */
  lockAll(resources: readonly Resource[], options: LockAllOptions): Promise<Lock>;
  /**
   * `lockAll`, for callers who have something else to do than to come again: that others have the resources is an answer.
   *
   * @throws as `lockAll`, but for ResourcesBusyError
   * @example
   * const answer = await locks.tryLockAll([['report', day]], { holder });
   * if (answer.outcome === 'held') return `${answer.by[0]?.reason} is under way`;
   */
  tryLockAll(resources: readonly Resource[], options: LockAllOptions): Promise<LockAnswer>;
  /**
   * Runs `work` while the resources are locked, renews the lease meanwhile, and then does with the lock what `unlock` says. Rejects with
   * what `work` threw, after that.
   *
   * Call it before the handler has applied anything: an error because the resources are busy says of the whole handler that nothing was.
   *
   * @throws as `lockAll`; LockKeptError when `work` returned, and `unlock.onSuccess` is a function that did not answer `true`
   * @example
   * await locks.withLock(resources, { holder, unlock: { onSuccess: 'unlock', onFailure: allRepaid } }, repay);
   */
  withLock<R>(
    resources: readonly Resource[],
    options: WithLockOptions,
    work: (lock: WorkingLock) => Promise<R> | R,
  ): Promise<Worked<R>>;
  /**
   * `withLock`, for callers who have something else to do than to come again: that others have the resources is an answer. Not for
   * use inside of `claim.effect`: an effect that returns has happened, whatever it returns.
   *
   * @throws as `withLock`, but for ResourcesBusyError
   */
  tryWithLock<R>(
    resources: readonly Resource[],
    options: WithLockOptions,
    work: (lock: WorkingLock) => Promise<R> | R,
  ): Promise<WithLockAnswer<R>>;
  /** Which of the resources are locked, by whom, why and since when. A lock past `until` is anybody's. */
  read(resources: readonly Resource[]): Promise<readonly HeldBy[]>;
}

/** The longest time between two looks at a lock that somebody else has, in milliseconds, before it is spread. */
const longestPauseMs = 2000;

/**
 * Locks over the resources that a request touches, apart from its idempotency key.
 *
 * @throws OptionError when an option is missing or out of range
 * @example
 * const locks = resourceLocks({ store: dynamoLockStore({ tableName: process.env.CLAIMS_TABLE }) });
 */
export function resourceLocks(options: LocksOptions): Locks {
  expectOptions(options, { door: 'resourceLocks', known: locksOptionNames, docs });
  const settings = lockSettings({ host: nodeHost, ...options });
  const { host, store } = settings;

  async function ask(
    resources: readonly Resource[],
    options: LockAllOptions,
  ): Promise<{ readonly answer: LockAnswer; readonly named: ReadonlyMap<string, Resource> }> {
    const { waitMs, ...who } = checkLockAll(options);
    const named = namesOf(resources, host);
    refuseNested(named);
    const maps = { takenOver: new Map(), ended: new Map(), looked: new Set<string>(), known: new Set<string>() };
    const deadline = host.now() + waitMs;
    const wish: Wish = { settings, named, ...who, ...maps, deadline };
    try {
      for (;;) {
        const { answer, isFinal } = await tryLockAll(wish, `#lock#${host.randomId()}`);
        if (answer.outcome === 'locked' || isFinal || host.now() >= deadline) return { answer, named };
        await waitFor(answer, deadline);
      }
    } catch (error) {
      // No work has begun: said of a handler, this leaves nothing in doubt.
      if (error instanceof StoreUnavailableError) throw new LockingFailedError(error.message, { cause: error.cause });
      throw error;
    }
  }

  /**
   * Waits until none of the locks in the way is exclusive, or the time is up. Only these are looked at: a waiter costs one small
   * read at a time, whatever the number of resources, and tries to write when it has a chance.
   */
  async function waitFor({ by }: HeldAnswer, deadline: number): Promise<void> {
    const lockIds = [...new Set(by.map(({ lockId }) => lockId))];
    for (let looks = 0; ; looks++) {
      const left = deadline - host.now();
      if (left <= 0) return;
      // Spread out, so that those who met do not meet again.
      await sleep(host, Math.min((0.5 + host.random()) * Math.min(20 * 2 ** looks, longestPauseMs), left));
      const found = lockIds.length > 0 ? await insisting(settings, () => store.read(lockIds), deadline) : [];
      if (!found.some((lock) => lock?.kind === 'lock' && isExclusive(lock, settings, host.now()))) return;
    }
  }

  async function lockAll(resources: readonly Resource[], options: LockAllOptions): Promise<Lock> {
    expectOptions(options, { door: 'lockAll', known: lockAllOptionNames, refused: ofWithLock, docs });
    const { answer } = await ask(resources, options);
    if (answer.outcome === 'held') throw new ResourcesBusyError(answer.by, answer.retryAfterMs);
    return answer.lock;
  }

  async function tryAll(resources: readonly Resource[], options: LockAllOptions): Promise<LockAnswer> {
    expectOptions(options, { door: 'tryLockAll', known: lockAllOptionNames, refused: ofWithLock, docs });
    const { answer } = await ask(resources, options);
    return answer;
  }

  async function tryWithLock<R>(
    resources: readonly Resource[],
    given: WithLockOptions,
    work: (lock: WorkingLock) => Promise<R> | R,
  ): Promise<WithLockAnswer<R>> {
    expectOptions(given, { door: 'tryWithLock', known: withLockOptionNames, docs });
    const { unlock, ...options } = given;
    checkRules(unlock);
    const { answer, named } = await ask(resources, options);
    if (answer.outcome === 'held') return answer;
    return inside(named, async () => {
      const renewal = keepRenewed(settings, answer.lock);
      const lock: WorkingLock = { ...answer.lock, signal: renewal.signal };
      const end = (rule: UnlockRule): Promise<Ending> => settleWork(settings, lock, rule, renewal);
      let result: R;
      try {
        result = await work(lock);
      } catch (error) {
        await end(unlock.onFailure);
        throw error;
      }
      const { settled, unfinished } = await end(unlock.onSuccess);
      if (unfinished) throw unfinished;
      return { outcome: 'done', result, lock: settled };
    });
  }

  async function withLock<R>(
    resources: readonly Resource[],
    options: WithLockOptions,
    work: (lock: WorkingLock) => Promise<R> | R,
  ): Promise<Worked<R>> {
    expectOptions(options, { door: 'withLock', known: withLockOptionNames, docs });
    const answer = await tryWithLock(resources, options, work);
    if (answer.outcome === 'held') throw new ResourcesBusyError(answer.by, answer.retryAfterMs);
    return answer;
  }

  async function read(resources: readonly Resource[]): Promise<readonly HeldBy[]> {
    const named = namesOf(resources, host);
    return heldBy(await insisting(settings, () => readResources(store, [...named.keys()])), named);
  }

  return {
    lockAll: (...wanted) => heard('lockAll', lockAll(...wanted)),
    tryLockAll: (...wanted) => heard('tryLockAll', tryAll(...wanted)),
    withLock: (...wanted) => heard('withLock', withLock(...wanted)),
    tryWithLock: (...wanted) => heard('tryWithLock', tryWithLock(...wanted)),
    read: (resources) => heard('locks.read', read(resources)),
  };
}

/** The resources by their ids, each once, in the order in which everybody locks them. */
function namesOf(resources: readonly Resource[], host: Host): ReadonlyMap<string, Resource> {
  expect(resources?.length, 'resources', 'at least one', resources?.length);
  const named = resources.map((resource) => [resourceId(resource, host), resource] as const);
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}
