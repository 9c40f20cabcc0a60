import type { FoundResource } from './found-resource.ts';
import { listed } from './listed.ts';
import { expiryOf, type LockRecord, type LockStatus } from './record.ts';
import type { LockWrite } from './store.ts';

/**
 * What one worker asks for.
 *
 * @example
 * const request: LockRequest = {
 *   lockId: `#lock#${crypto.randomUUID()}`,
 *   holder: claim.effectKey,
 *   reason: 'a repayment',
 *   leaseUntil: Date.now() + 60_000,
 *   resources: 2,
 * };
 */
export interface LockRequest {
  /** The token of this grant, reused when a request is sent again: by it, the worker recognises its own write. */
  readonly lockId: string;
  /** Names the request that wants the resources, the same on every attempt. */
  readonly holder: string;
  /** Why they are to be locked, for other holders and for people. */
  readonly reason: string;
  /** Until when the lock is to be exclusive, in epoch milliseconds: after now, or two such requests take from each other for ever. */
  readonly leaseUntil: number;
  /** How many resources there are in all; a decision may be about some of them. */
  readonly resources: number;
  /** The ids of the first of them, as JSON, for people. */
  readonly first?: string;
}

/**
 * The rules that a lock is decided by.
 *
 * @example
 * const rules: LockRules = { skewMs: 1000 };
 */
export interface LockRules {
  /** How far the clocks of two workers may differ, in milliseconds; always spent on waiting. */
  readonly skewMs: number;
}

/** What becomes of a request for resources. */
export type LockDecision =
  /** Another holder has some of them. Nothing is to be written. */
  | { readonly kind: 'busy'; readonly by: readonly FoundResource[]; readonly retryAfterMs: number }
  /** Earlier locks are to be put out of the way, each with a write of its own. Read and decide again after it. */
  | { readonly kind: 'clear'; readonly writes: readonly LockWrite[] }
  /** All are free. These writes, together, take them. None are needed for what this request has already. */
  | { readonly kind: 'take'; readonly writes: readonly LockWrite[] };

/**
 * What becomes of a request for resources, given what the store has of them: all or none. Pure: no clock, no chance, no AWS.
 *
 * @param found what the store has, read strongly consistent: the resources first, the locks that they name after it
 * @param now epoch milliseconds by this worker's clock
 * @example
 * declare const request: LockRequest;
 * const found: FoundResource[] = [{ id: '#resource#debt#17', resource: undefined, lock: undefined }];
 * const decision = decideLock(found, request, { skewMs: 1000 }, Date.now());
 * if (decision.kind === 'busy') console.log(`ask again in ${decision.retryAfterMs} ms`);
 */
export function decideLock(
  found: readonly FoundResource[],
  request: LockRequest,
  { skewMs }: LockRules,
  now: number,
): LockDecision {
  const notOurs = found.filter(({ lock }) => lock?.id !== request.lockId);
  const inTheWay = notOurs.filter(({ lock }) => lock !== undefined && lock.status !== 'ended');
  const by = inTheWay.filter(({ lock }) => lock?.holder !== request.holder && isExclusive(lock, { skewMs }, now));
  if (by.length > 0) {
    const end = Math.max(...by.map(({ lock }) => lock?.leaseUntil ?? 0));
    return { kind: 'busy', by, retryAfterMs: end + skewMs - now };
  }

  const locks = new Map(inTheWay.map(({ lock }) => [lock?.id, lock as LockRecord]));
  const clearing = [...locks.values()].flatMap((lock) =>
    lock.holder === request.holder ? handOver(lock, request, now) : [takeOver(lock, request)],
  );
  if (clearing.length > 0) return { kind: 'clear', writes: clearing };
  return { kind: 'take', writes: notOurs.map((one) => takeResource(one, request)) };
}

/** Whether only its holder may have the resources of a lock. */
export function isExclusive(lock: LockRecord | undefined, { skewMs }: LockRules, now: number): boolean {
  return lock !== undefined && lock.status !== 'ended' && lock.leaseUntil + skewMs > now;
}

/**
 * The holder has come back. The earlier attempt, which may be alive, is fenced off now, and the resources stay locked until the
 * new one has them: ended, they would be free for every other holder for a moment.
 */
function handOver(lock: LockRecord, { lockId, leaseUntil }: LockRequest, now: number): readonly LockWrite[] {
  const lastsLongEnough = lock.leaseUntil >= (now + leaseUntil) / 2;
  if (lock.status === 'kept' && lastsLongEnough) return [];
  const until = Math.max(lock.leaseUntil, leaseUntil);
  return [{ next: changed(lock, lockId, until, 'kept'), seen: lock }];
}

/** The lease is over: the lock ends for all its resources, so that its worker cannot commit for those that this request does not want. */
function takeOver(lock: LockRecord, { lockId }: LockRequest): LockWrite {
  return { next: changed(lock, lockId, lock.leaseUntil, 'ended'), seen: lock };
}

/** Puts a resource under the request's lock, with the next fence. */
export function takeResource({ id, resource }: FoundResource, { lockId }: Pick<LockRequest, 'lockId'>): LockWrite {
  const fence = (resource?.fence ?? 0) + 1;
  return { next: { kind: 'resource', id, lockId, fence, v: 'lock-1' }, seen: resource };
}

/** The next state of a lock, written by `by`. */
export function changed(
  lock: LockRecord,
  by: string,
  leaseUntil: number,
  status: LockStatus = lock.status,
): LockRecord {
  return listed({ ...lock, status, leaseUntil, by, rev: lock.rev + 1, expiresAt: expiryOf(leaseUntil) });
}

/** The lock that a request makes. It is written before any resource names it, or together with them. */
export function newLock({ lockId, leaseUntil, ...request }: LockRequest, since: number): LockRecord {
  const written = { by: lockId, rev: 1, expiresAt: expiryOf(leaseUntil) };
  return { kind: 'lock', id: lockId, status: 'held', ...request, since, leaseUntil, ...written, v: 'lock-1' };
}
