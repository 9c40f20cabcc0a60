import type { Transition } from '../kernel/record.ts';
import { changed, isExclusive, type LockRules } from './decide.ts';
import type { LockRecord, ReleasedLock } from './record.ts';

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
  return changed(found, lockId, until, 'kept');
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
  return found.status === 'ended' ? 'applied' : changed(found, lockId, found.leaseUntil, 'ended');
}

/** The `by` of a lock that an operator has ended: no attempt has it. */
const byOperator = 'operator';

/** Why an operator may not release a lock. `held`: its worker may be alive. `changed`: it is not the one that the operator has seen. */
export type ReleaseRefusal = 'missing' | 'ended' | 'held' | 'changed';

/** What an operator's release comes to: the record to write, `applied` if it was written before and the response lost, or why it is refused. */
export type ReleaseDecision =
  | { readonly kind: 'write'; readonly next: LockRecord; readonly seen: LockRecord }
  | { readonly kind: 'applied'; readonly record: LockRecord }
  | { readonly kind: 'refused'; readonly why: ReleaseRefusal };

/**
 * Whether an operator may release a lock: one that is kept, or whose lease is over. A lock that a worker may be at is that worker's.
 *
 * @param rev the revision that the operator has seen
 */
export function releaseLock(
  found: LockRecord | undefined,
  rev: number,
  released: ReleasedLock,
  rules: LockRules,
  now: number,
): ReleaseDecision {
  if (found === undefined) return { kind: 'refused', why: 'missing' };
  const { status, released: before } = found;
  if (before !== undefined && before.at === released.at && before.by === released.by && before.note === released.note) {
    return { kind: 'applied', record: found };
  }
  if (status === 'ended') return { kind: 'refused', why: 'ended' };
  if (found.rev !== rev) return { kind: 'refused', why: 'changed' };
  if (status === 'held' && isExclusive(found, rules, now)) return { kind: 'refused', why: 'held' };
  return { kind: 'write', next: { ...changed(found, byOperator, found.leaseUntil, 'ended'), released }, seen: found };
}
