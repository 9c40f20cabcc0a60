import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { errorKind } from '../kernel/error-kind.ts';
import { explainedError, NothingRunError, type StoreUnavailableError } from '../kernel/errors.ts';
import { heard } from '../kernel/heard.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { type Acquired, acquire } from './acquire.ts';
import type { Busy, Wish } from './acquisition-state.ts';
import { ResourcesBusyError } from './errors.ts';
import { foundResources, namedLocks } from './found-resource.ts';
import { type LockedResource, lockedResources } from './locked-resource.ts';
import { refuseNested } from './nested.ts';
import {
  checkLockAll,
  type LockAllOptions,
  type LockSettings,
  type LocksOptions,
  lockAllOptionNames,
  lockSettings,
  locksOptionNames,
} from './options.ts';
import { actionsOf, type Lock, type OwnedLock } from './owned-lock.ts';
import { reportAcquired } from './report.ts';
import { ask } from './requests.ts';
import { type Resource, resourceId } from './resource.ts';
import { checkRules } from './unlock-rules.ts';
import {
  type GrantedLock,
  type WithLockOptions,
  type Work,
  type Worked,
  withLockOptionNames,
  workUnder,
} from './with-lock.ts';

const docs = 'docs/guides/locks.md';
const ofWithLock = { unlock: 'it is an option of withLock: this lock is held until its holder ends it' };

/** Other holders have some of the resources. Ask again after `retryAfterMs`: then their leases have ended, unless renewed. */
export interface BusyResources {
  readonly outcome: 'busy';
  /** Empty when no holder in particular was in the way. */
  readonly by: readonly LockedResource[];
  readonly retryAfterMs: number;
}

/** What `tryLockAll` returns: all of the resources, or none and who has some of them. */
export type TryLockAllResult = { readonly outcome: 'locked'; readonly lock: Lock } | BusyResources;

/** What `tryWithLock` returns: what became of the work, or who has some of its resources. */
export type TryWithLockResult<R> = Worked<R> | BusyResources;

/** Locks over resources, as `resourceLocks` returns them. Each call takes all of its resources or none. */
export interface Locks {
  /**
   * Locks all of the resources, or none. Any sets exclude each other that have a resource in common.
   *
   * @throws ResourcesBusyError when other holders have some of them, and StoreUnavailableError: nothing was applied, and both release
   *   the claim of the handler that lets them through. NestedLockError when the work around the call has some of them;
   *   InvalidMessageError when a resource is nothing that identifies anything; OptionError
   * @example
   * const resources = payment.debts.map((debt) => ['customer', payment.customer, 'debt', debt] as const);
   * const lock = await locks.lockAll(resources, { holder: claim.effectKey, waitMs: 2000 });
   */
  lockAll(resources: readonly Resource[], options: LockAllOptions): Promise<Lock>;
  /**
   * `lockAll`, for callers who have something else to do than to come again: that other holders have the resources is a result.
   *
   * @throws as `lockAll`, but for ResourcesBusyError
   * @example
   * const result = await locks.tryLockAll([['report', '2026-11-22']], { holder: 'nightly-report', reason: 'the report' });
   * if (result.outcome === 'busy') console.log(`${result.by[0]?.reason} is under way`);
   */
  tryLockAll(resources: readonly Resource[], options: LockAllOptions): Promise<TryLockAllResult>;
  /**
   * Runs `work` while the resources are locked, renews the lease meanwhile, and then does with the lock what `unlock` says. Rejects with
   * what `work` threw, after that.
   *
   * Call it before the handler has applied anything: an error because the resources are busy says that the whole handler applied nothing.
   *
   * @throws as `lockAll`; LockKeptError when `work` returned, and `unlock.onSuccess` is a function that did not return `true`
   * @example
   * const unlock = { onSuccess: 'unlock', onFailure: 'keep' } as const;
   * await locks.withLock([['customer', payment.customer]], { holder: claim.effectKey, unlock }, ({ signal }) =>
   *   bank.refund(payment, { idempotencyKey: claim.effectKey, signal }),
   * );
   */
  withLock<R>(resources: readonly Resource[], options: WithLockOptions, work: Work<R>): Promise<Worked<R>>;
  /**
   * `withLock`, for callers who have something else to do than to come again: that other holders have the resources is a result. A handler, or an effect
   * inside of `claim.effect`, that returns that result is not done. One that swallows it is.
   *
   * @throws as `withLock`, but for ResourcesBusyError
   */
  tryWithLock<R>(
    resources: readonly Resource[],
    options: WithLockOptions,
    work: Work<R>,
  ): Promise<TryWithLockResult<R>>;
  /** Which of the resources are locked, by whom, why and since when. A lock past `until` may be taken over at any time. */
  read(resources: readonly Resource[]): Promise<readonly LockedResource[]>;
}

/**
 * Locks over the resources that a request touches, apart from its idempotency key.
 *
 * @throws OptionError when an option is missing or out of range
 * @example
 * const locks = resourceLocks({ store: dynamoLockStore(store) });
 * const resources = payment.debts.map((debt) => ['customer', payment.customer, 'debt', debt] as const);
 * const unlock = { onSuccess: 'unlock', onFailure: 'keep' } as const;
 * await locks.withLock(resources, { holder: claim.effectKey, unlock }, (lock) =>
 *   bank.refund(payment, { idempotencyKey: claim.effectKey, signal: lock.signal }),
 * );
 */
export function resourceLocks(options: LocksOptions): Locks {
  expectOptions(options, { door: 'resourceLocks', known: locksOptionNames, docs });
  const settings = lockSettings({ host: nodeHost, ...options });
  return {
    lockAll: (...wanted) => heard('lockAll', lockAll(settings, ...wanted)),
    tryLockAll: (...wanted) => heard('tryLockAll', tryLockAll(settings, 'tryLockAll', ...wanted)),
    withLock: (...wanted) => heard('withLock', withLock(settings, ...wanted)),
    tryWithLock: (...wanted) => heard('tryWithLock', tryWithLock(settings, 'tryWithLock', ...wanted)),
    read: (resources) => heard('locks.read', read(settings, resources)),
  };
}

async function lockAll(settings: LockSettings, ...wanted: Parameters<Locks['lockAll']>): Promise<Lock> {
  const result = await tryLockAll(settings, 'lockAll', ...wanted);
  if (result.outcome === 'busy') throw new ResourcesBusyError(result.by, result.retryAfterMs);
  return result.lock;
}

async function tryLockAll(
  settings: LockSettings,
  door: 'lockAll' | 'tryLockAll',
  resources: readonly Resource[],
  options: LockAllOptions,
): Promise<TryLockAllResult> {
  expectOptions(options, { door, known: lockAllOptionNames, refused: ofWithLock, docs });
  const named = namesOf(resources, settings.host);
  const acquired = await acquireNamed(settings, named, options);
  if (acquired.kind === 'busy') return busyResources(acquired.busy, named);
  const { lock } = grantedLock(settings, acquired, named);
  return { outcome: 'locked', lock };
}

async function withLock<R>(
  settings: LockSettings,
  resources: readonly Resource[],
  options: WithLockOptions,
  work: Work<R>,
): Promise<Worked<R>> {
  const result = await tryWithLock(settings, 'withLock', resources, options, work);
  if (result.outcome === 'busy') throw new ResourcesBusyError(result.by, result.retryAfterMs);
  return result;
}

async function tryWithLock<R>(
  settings: LockSettings,
  door: 'withLock' | 'tryWithLock',
  resources: readonly Resource[],
  given: WithLockOptions,
  work: Work<R>,
): Promise<TryWithLockResult<R>> {
  expectOptions(given, { door, known: withLockOptionNames, docs });
  const { unlock, ...options } = given;
  checkRules(unlock);
  expectFunction(`the work of ${door}`, 'a function, after the options', work, 'wrong-handler');
  const named = namesOf(resources, settings.host);
  const acquired = await acquireNamed(settings, named, options);
  if (acquired.kind === 'busy') return busyResources(acquired.busy, named);
  return workUnder(grantedLock(settings, acquired, named), named, unlock, work);
}

async function read(settings: LockSettings, resources: readonly Resource[]): Promise<readonly LockedResource[]> {
  const named = namesOf(resources, settings.host);
  const ids = [...named.keys()];
  const found = await ask(settings, () => settings.store.read(ids));
  const lockIds = namedLocks(found);
  const locks = lockIds.length > 0 ? await ask(settings, () => settings.store.read(lockIds)) : [];
  return lockedResources(foundResources(ids, found, locks), named);
}

/** The resources by their ids, each once, in the order in which every worker locks them. */
function namesOf(resources: readonly Resource[], host: Host): ReadonlyMap<string, Resource> {
  expect(resources?.length, 'resources', 'at least one', resources?.length);
  const named = resources.map((resource) => [resourceId(resource, host), resource] as const);
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function acquireNamed(
  settings: LockSettings,
  named: ReadonlyMap<string, Resource>,
  options: LockAllOptions,
): Promise<Acquired> {
  const { waitMs, holder, reason } = checkLockAll(options);
  refuseNested(named);
  const { leaseMs, keepMs, skewMs, store, host } = settings;
  const room = Math.max(1, store.most - 1);
  const wish: Wish = { ids: [...named.keys()], holder, reason, room, leaseMs, keepMs, skewMs };
  try {
    const acquired = await acquire(settings, wish, host.now() + waitMs);
    reportAcquired(settings, acquired, wish.ids.length);
    return acquired;
  } catch (error) {
    // No work has begun: said of a handler, this leaves nothing in doubt.
    if (errorKind(error) !== 'store-unavailable') throw error;
    const { message, cause } = error as StoreUnavailableError;
    throw new NothingRunError(message, { cause });
  }
}

function busyResources({ by, retryAfterMs }: Busy, named: ReadonlyMap<string, Resource>): BusyResources {
  return { outcome: 'busy', by: lockedResources(by, named), retryAfterMs };
}

function grantedLock(
  settings: LockSettings,
  { own, attempt }: Extract<Acquired, { readonly kind: 'granted' }>,
  named: ReadonlyMap<string, Resource>,
): GrantedLock {
  const { resources, memory } = attempt;
  const owned: OwnedLock = { settings, lockId: own.id, known: own, isLost: false };
  const fences = new Map(resources.map(({ id, fence }) => [id, fence]));
  const lock: Lock = {
    id: own.id,
    holder: own.holder,
    resources: [...named.values()],
    since: own.since,
    takenOver: lockedResources(memory.takenOver.values(), named),
    ...actionsOf(owned),
    fence(resource) {
      const fence = fences.get(resourceId(resource, settings.host));
      if (fence === undefined) {
        throw explainedError(
          RangeError,
          'the resource is not one of this lock; name it as withLock or lockAll got it',
          'not-locked',
        );
      }
      return fence;
    },
  };
  return { owned, lock };
}
