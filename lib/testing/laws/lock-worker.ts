import {
  type Lock,
  type LockStore,
  type Locks,
  nodeHost,
  type Resource,
  resourceLocks,
  type TryLockAllResult,
} from 'pawl/internal';
import type { Host } from 'pawl/kernel';
import { expectSame } from './expect.ts';

export const leaseMs = 60_000;
export const skewMs = 1000;

export const excluded = 'Two requests would work on one resource at the same time.';
export const starved = 'A request would wait for a lock that no worker has.';

/** What waits so long waits for an answer of the store, which a slow machine is given. */
const answerMs = 5000;

/**
 * Workers with one clock. It goes on by what a law says and by what a worker waits for, and not with the time that a call to the store takes:
 * on a slow machine a lease would end before its law comes to that.
 */
export function createWorkers() {
  let time = nodeHost.now();
  const goTo = (at: number) => {
    time = Math.max(time, at);
  };
  const host: Host = {
    ...nodeHost,
    now: () => time,
    after(ms, run) {
      const at = time + ms;
      return nodeHost.after(ms < answerMs ? ms : 20 * ms, () => {
        goTo(at);
        run();
      });
    },
  };
  return {
    now: host.now,
    later: (ms: number): void => goTo(time + ms),
    worker(store: LockStore): Pick<Locks, 'tryLockAll' | 'read'> {
      const watched = watch(store);
      const locks = resourceLocks({ store: watched.store, host, leaseMs, skewMs });
      return {
        tryLockAll: (...wanted) => Promise.race([locks.tryLockAll(...wanted), watched.broken]),
        read: (resources) => Promise.race([locks.read(resources), watched.broken]),
      };
    },
  };
}

/** More calls than this are a worker that comes to no end, because the store does not say what stands there. */
const mostCalls = 2000;

/**
 * The same store, whose first error reaches the law. A worker would try again for some seconds, and the law would say no more than that it
 * took too long.
 */
function watch(store: LockStore) {
  const broken = Promise.withResolvers<never>();
  // Nothing may wait for it.
  broken.promise.catch(() => undefined);
  let calls = 0;

  async function watched<T>(call: () => Promise<T>): Promise<T> {
    try {
      if (++calls > mostCalls) throw new Error(`a worker made ${mostCalls} calls for one law, and came to no end`);
      return await call();
    } catch (error) {
      broken.reject(error);
      throw error;
    }
  }

  const guarded: LockStore = {
    most: store.most,
    read: (ids) => watched(() => store.read(ids)),
    write: (writes) => watched(() => store.write(writes)),
  };
  return { store: guarded, broken: broken.promise };
}

/** The lock of a request that nothing is in the way of. */
export function granted(tried: TryLockAllResult): Lock {
  if (tried.outcome === 'locked') return tried.lock;
  throw new Error(`no lock could be had. ${starved} In the way: ${JSON.stringify(tried.by)}`);
}

export async function expectHeld(
  locks: Pick<Locks, 'tryLockAll'>,
  resources: readonly Resource[],
  holder: string,
): Promise<void> {
  const { outcome } = await locks.tryLockAll(resources, { holder });
  expectSame(`What ${holder} got of resources that another holder has`, outcome, 'busy', excluded);
}

export async function expectStale(lock: Lock): Promise<void> {
  const results = [await lock.renew(), await lock.unlock(), await lock.keep()];
  const why = 'A worker that has lost its lock would renew or free what another worker holds.';
  expectSame('A late renewal, unlock and keep', results, ['stale', 'stale', 'stale'], why);
}

export const expectFree = async (locks: Pick<Locks, 'read'>, resources: readonly Resource[]): Promise<void> =>
  expectSame('What is locked after the unlock', await locks.read(resources), [], starved);
