/**
 * What stands of a lock.
 *
 * `held`: a worker is at it. `kept`: no worker is, and the resources wait for the holder's next attempt. `ended`: its
 * resources are free, and it never comes back.
 */
export type LockStatus = 'held' | 'kept' | 'ended';

/** An operator's release of a lock, as the lock keeps it. */
export interface ReleasedLock {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly note: string;
}

/**
 * One lock over any number of resources, as one item. The resources name it, and are locked for as long as it has not ended:
 * so renewing, keeping and unlocking are one write, whatever the number of resources, and happen to all of them at once.
 *
 * @example
 * const [found] = await lockStore.read([lock.id]);
 * if (found?.kind === 'lock') console.log(`${found.status} since ${new Date(found.since).toISOString()}`);
 */
export interface LockRecord {
  /** Tells it from the record of a resource. */
  readonly kind: 'lock';
  /** `#lock#` and the random token of one grant: the worker that knows it is the owner. */
  readonly id: string;
  /** Whether its resources are locked. */
  readonly status: LockStatus;
  /** The request that holds it, e.g. its effect key: the same on every attempt. */
  readonly holder: string;
  /** Why it was locked, in the author's words. */
  readonly reason: string;
  /** Since when the holder has had it, over all its attempts. Epoch milliseconds. */
  readonly since: number;
  /** Until when the lock is exclusive, by the clock of the worker that holds it. Epoch milliseconds. */
  readonly leaseUntil: number;
  /** How many resources it is over. */
  readonly resources: number;
  /** The ids of the first of them, in the order in which they were locked, as JSON: for people. */
  readonly first?: string | undefined;
  /** Its place in the index of the table: a lock is listed from its second write on, until it ends. A short one costs no write there. */
  readonly open?: string | undefined;
  /** `since`, where it stands at that place. */
  readonly firstSeenAt?: number | undefined;
  /** Who has released it, for an operator: its worker, or its holder's next attempt, has not ended it. */
  readonly released?: ReleasedLock | undefined;
  /** The lock id of the attempt that wrote this state: by it, a writer whose response was lost recognises its own write. */
  readonly by: string;
  /** Grows with every change of this record. */
  readonly rev: number;
  /** When DynamoDB's TTL may collect the record, in epoch SECONDS: long after the lease, when missing and ended mean the same. */
  readonly expiresAt: number;
  /** The schema of the record. */
  readonly v: 'lock-1';
}

/**
 * One resource, and the lock it was last under. It is never deleted: its fence would restart, and an old one be good again.
 *
 * @example
 * const [found] = await lockStore.read(['#resource#debt#17']);
 * if (found?.kind === 'resource') console.log(`locked ${found.fence} times`);
 */
export interface ResourceRecord {
  /** Tells it from the record of a lock. */
  readonly kind: 'resource';
  /** `#resource#` and the identity of the resource. */
  readonly id: string;
  /** The lock that it was last under. */
  readonly lockId: string;
  /** Grows by one with every lock, and never goes back. */
  readonly fence: number;
  /** The schema of the record. */
  readonly v: 'lock-1';
}

/** What a lock store keeps. */
export type StoredRecord = LockRecord | ResourceRecord;

const forgottenAfterSeconds = 30 * 24 * 3600;

/** `expiresAt` of a lock whose lease ends at `leaseUntil`. */
export function expiryOf(leaseUntil: number): number {
  return Math.ceil(leaseUntil / 1000) + forgottenAfterSeconds;
}
