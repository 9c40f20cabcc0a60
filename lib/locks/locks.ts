import { expect } from '../core/check.ts';
import { type Host, sleep } from '../core/host.ts';
import { nodeHost } from '../host.ts';
import { type HeldAnswer, type LockAnswer, tryLockAll, type Wish } from './acquire.ts';
import { isExclusive } from './decide.ts';
import { heldBy, readResources } from './found.ts';
import { type HeldBy, insisting, type Lock } from './lock.ts';
import { checkLockAll, type LockAllOptions, type LocksOptions, lockSettings } from './options.ts';
import { keepRenewed } from './renewal.ts';
import { type Resource, resourceId } from './resource.ts';
import { checkRules, type Settled, settleWork, type UnlockRules } from './unlock-rules.ts';

export interface WithLockOptions extends LockAllOptions {
  /** What becomes of the lock when the work has ended. There is no default: only the author knows what a failure leaves behind. */
  readonly unlock: UnlockRules;
}

/** The lock as the work under it sees it. */
export type WorkingLock = Lock & {
  /** Aborted when the lock turns out to be somebody else's, or its lease ends without having been renewed. */
  readonly signal: AbortSignal;
};

/** What came of the work, and of the lock after it. */
export type WithLockAnswer<R> = { readonly outcome: 'done'; readonly result: R; readonly lock: Settled } | HeldAnswer;

export interface Locks {
  /**
   * Locks all of the resources, or none. Any sets exclude each other that have a resource in common.
   *
   * @throws InvalidMessageError when a resource is nothing that identifies anything; StoreUnavailableError; OptionError
   * @example
   * const answer = await locks.lockAll(debts.map((debt) => ['customer', customerId, 'debt', debt]), { holder: claim.effectKey });
   * if (answer.outcome === 'held') throw new RetryableError(`locked by ${answer.by[0]?.holder}`);
   */
  lockAll(resources: readonly Resource[], options: LockAllOptions): Promise<LockAnswer>;
  /**
   * Runs `work` while the resources are locked, renews the lease meanwhile, and then does with the lock what `unlock` says. Rejects with
   * what `work` threw, after that.
   *
   * @throws as `lockAll`
   * @example
   * await locks.withLock(resources, { holder, unlock: { onSuccess: 'unlock', onFailure: allRepaid } }, repay);
   */
  withLock<R>(
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
  const settings = lockSettings({ host: nodeHost, ...options });
  const { host, store } = settings;

  async function lockAll(resources: readonly Resource[], options: LockAllOptions): Promise<LockAnswer> {
    const { waitMs, ...who } = checkLockAll(options);
    const named = namesOf(resources, host);
    const maps = { takenOver: new Map(), ended: new Map(), looked: new Set<string>(), known: new Set<string>() };
    const wish: Wish = { settings, named, ...who, ...maps };
    const deadline = host.now() + waitMs;
    for (;;) {
      const { answer, isFinal } = await tryLockAll(wish, `#lock#${host.randomId()}`);
      if (answer.outcome === 'locked' || isFinal || host.now() >= deadline) return answer;
      await waitFor(answer, deadline);
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
      const found = lockIds.length > 0 ? await insisting(host, () => store.read(lockIds)) : [];
      if (!found.some((lock) => lock?.kind === 'lock' && isExclusive(lock, settings, host.now()))) return;
    }
  }

  return {
    lockAll,
    async withLock(resources, { unlock, ...options }, work) {
      checkRules(unlock);
      const answer = await lockAll(resources, options);
      if (answer.outcome === 'held') return answer;
      const renewal = keepRenewed(settings, answer.lock);
      const lock: WorkingLock = { ...answer.lock, signal: renewal.signal };
      try {
        const result = await work(lock);
        return { outcome: 'done', result, lock: await settleWork(lock, unlock.onSuccess, renewal) };
      } catch (error) {
        await settleWork(lock, unlock.onFailure, renewal);
        throw error;
      }
    },
    async read(resources) {
      const named = namesOf(resources, host);
      return heldBy(await readResources(store, [...named.keys()]), named);
    },
  };
}

/** The resources by their ids, each once, in the order in which everybody locks them. */
function namesOf(resources: readonly Resource[], host: Host): ReadonlyMap<string, Resource> {
  expect(resources?.length, 'resources', 'at least one', resources?.length);
  const named = resources.map((resource) => [resourceId(resource, host), resource] as const);
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}
