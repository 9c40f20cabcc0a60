import type { Transition } from '../kernel/record.ts';
import { changed } from './decide.ts';
import type { LockRecord } from './record.ts';

/**
 * What the owner of a lock may make of it: the record to write if it is still the one that was found; `applied`, when that was
 * written before and the response lost; `stale`, when the lock was taken over, or handed to the holder's next attempt.
 */
export type LockTransition = Transition<LockRecord>;

/**
 * Extends a lease, and never shortens it.
 *
 * @example
 * declare const found: LockRecord;
 * const next = extendLock(lock.id, found, Date.now() + 60_000);
 * if (next === 'stale') console.warn('another worker has the lock by now');
 */
export function extendLock(lockId: string, found: LockRecord | undefined, leaseUntil: number): LockTransition {
  if (found?.status !== 'held') return 'stale';
  return found.leaseUntil >= leaseUntil ? 'applied' : changed(found, lockId, leaseUntil);
}

/**
 * Keeps the resources locked for the holder's next attempt, and prevents this worker from writing any more.
 *
 * @example
 * declare const found: LockRecord;
 * const next = keepLock(lock.id, found, Date.now() + 900_000);
 * if (next !== 'applied' && next !== 'stale') await lockStore.write([{ next, seen: found }]);
 */
export function keepLock(lockId: string, found: LockRecord | undefined, until: number): LockTransition {
  if (found?.status === 'kept' && found.by === lockId) return 'applied';
  if (found?.status !== 'held') return 'stale';
  return { ...changed(found, lockId, until), status: 'kept' };
}

/**
 * Frees all resources of the lock at once.
 *
 * @example
 * declare const found: LockRecord;
 * const next = endLock(lock.id, found);
 * if (next !== 'applied' && next !== 'stale') await lockStore.write([{ next, seen: found }]);
 */
export function endLock(lockId: string, found: LockRecord | undefined): LockTransition {
  // If another attempt of the holder has made it `kept`, that attempt has the resources, or will have them.
  const ours = found?.status === 'held' || found?.by === lockId;
  if (found === undefined || !ours) return 'stale';
  return found.status === 'ended' ? 'applied' : { ...changed(found, lockId, found.leaseUntil), status: 'ended' };
}
