import type { Host } from '../kernel/host.ts';
import { joined, ownParts, partsOf } from '../kernel/name.ts';
import { isExclusive } from './decide.ts';
import { firstIn } from './listed.ts';
import type { LockRecord, LockStatus, ReleasedLock } from './record.ts';
import type { LockStore, OperatesLocks } from './store.ts';

/** How far the clock of the worker that holds a lock may be from this one. */
export const skewMs = 1000;

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

/** Where an operator looks at locks. */
export interface LockDesk {
  readonly store: LockStore & OperatesLocks;
  readonly host: Host;
}

/** @param name the id of a lock, whole or without `#lock#`: a shell takes a word that begins with `#` for a comment */
export async function readLock({ store }: LockDesk, name: string): Promise<LockRecord | undefined> {
  const [found] = await store.read([name.startsWith('#') ? name : joined(ownParts('lock', name))]);
  return found?.kind === 'lock' ? found : undefined;
}

export function viewOf({ host }: LockDesk, lock: LockRecord): LockView {
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
