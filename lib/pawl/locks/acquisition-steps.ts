import type { AcquisitionState, Attempt, Busy, Wish } from './acquisition-state.ts';
import { changed, decideLock, type LockRequest, newLock } from './decide.ts';
import type { FoundResource } from './found-resource.ts';
import { firstOf } from './listed.ts';
import type { LockRecord, StoredRecord } from './record.ts';
import { endLock, extendLock, keepLock } from './settle.ts';
import type { LockWrite, LockWriteResult } from './store.ts';

/** The steps between the states of `acquisition.ts`. Each returns the state that follows. */

/** It took too long to be had: no holder in particular is in the way. */
export const byNone: Busy = { by: [], retryAfterMs: 0, isFinal: false };

/** A later attempt of the same holder has come. */
export function givesWay(by: readonly FoundResource[]): Busy {
  return { by, retryAfterMs: 0, isFinal: true };
}

export function isHeld(record: StoredRecord | undefined): boolean {
  return record?.kind === 'lock' && record.status === 'held';
}

/** The ids of the current piece. */
export function pieceOf({ ids, room }: Wish, { from }: Attempt): readonly string[] {
  return ids.slice(from, from + room);
}

/** What the piece that has been read says of this attempt and of later ones of its holder. */
export function look(wish: Wish, before: Attempt, found: readonly FoundResource[], now: number): AcquisitionState {
  const attempt = recognise(before, found);
  const { own, from, memory } = attempt;
  if (own && own.status !== 'held') return { kind: 'reading-own', attempt };
  const laterIsAtWork = laterOf(wish, attempt, found).some(({ lock }) => isHeld(lock));
  if (laterIsAtWork && from < memory.looked) {
    return letGo(wish, attempt, givesWay(laterOf(wish, attempt, found)), now);
  }
  // A later attempt has been at the first piece, and has moved the own lock on, before it comes to this one. A lock that was there before
  // this attempt began has not.
  if (laterIsAtWork && own) return { kind: 'checking-own', attempt, found };
  return decideAcquisition(wish, attempt, found, now);
}

/** Resources under locks of the same holder that are not known: of a later attempt, unless this piece is looked at for the first time. */
function laterOf({ holder }: Wish, { memory }: Attempt, found: readonly FoundResource[]): readonly FoundResource[] {
  return found.filter(({ lock }) => lock?.holder === holder && !memory.known.includes(lock.id));
}

/** What the piece lets this attempt do. */
export function decideAcquisition(
  wish: Wish,
  before: Attempt,
  found: readonly FoundResource[],
  now: number,
): AcquisitionState {
  const { lockId, own, from } = before;
  const later = laterOf(wish, before, found).flatMap(({ lock }) => lock?.id ?? []);
  const known = [...new Set([...before.memory.known, ...later])];
  const looked = { ...before, memory: { ...before.memory, known, looked: Math.max(before.memory.looked, from + 1) } };
  const { holder, reason, ids } = wish;
  // Counted from this look: two requests whose leases were over before they had anything would take from each other for ever.
  const of = { resources: ids.length, first: firstOf(ids) };
  const request: LockRequest = { lockId, holder, reason, leaseUntil: now + wish.leaseMs, ...of };
  const decision = decideLock(found, request, wish, now);
  if (decision.kind === 'busy') {
    const { by, retryAfterMs } = decision;
    return letGo(wish, looked, { by, retryAfterMs, isFinal: false }, now);
  }
  const attempt = remember(wish, looked, found);
  if (decision.kind === 'clear') return { kind: 'clearing', attempt, found, writes: decision.writes };
  if (own && decision.writes.length === 0) return pieceTaken(wish, attempt, now);
  const since = Math.min(attempt.since, ...[...attempt.earlier.values()].map((lock) => lock.since));
  const lock: LockWrite = own
    ? { next: changed(own, lockId, request.leaseUntil), seen: own }
    : { next: newLock(request, since), seen: undefined };
  return { kind: 'taking', attempt, writes: [lock, ...decision.writes] };
}

/** What is under the own lock already, by a write whose response was lost. */
function recognise(attempt: Attempt, found: readonly FoundResource[]): Attempt {
  const ours = found.filter(({ lock }) => lock?.id === attempt.lockId);
  const [lock] = ours.map((one) => one.lock);
  if (lock === undefined) return attempt;
  const own = attempt.own === undefined || lock.rev > attempt.own.rev ? lock : attempt.own;
  return { ...attempt, own, resources: [...attempt.resources, ...ours.flatMap(({ resource }) => resource ?? [])] };
}

/** What was in the way, and is not in another holder's hands. */
function remember({ holder }: Wish, attempt: Attempt, found: readonly FoundResource[]): Attempt {
  const others = found.filter(({ lock }) => lock !== undefined && lock.id !== attempt.lockId);
  if (others.length === 0) return attempt;
  const { memory } = attempt;
  const takenOver = new Map(memory.takenOver);
  const earlier = new Map(attempt.earlier);
  for (const one of others) {
    const lock = one.lock as LockRecord;
    const ended = memory.ended.get(lock.id);
    if (ended) takenOver.set(`${lock.id} ${one.id}`, { ...one, lock: ended });
    else if (lock.status !== 'ended' && lock.holder === holder) earlier.set(lock.id, lock);
  }
  return { ...attempt, earlier, memory: { ...memory, takenOver } };
}

/** One earlier lock was to be put out of the way. */
export function cleared(
  wish: Wish,
  before: Attempt,
  found: readonly FoundResource[],
  [write, ...writes]: readonly LockWrite[],
  result: LockWriteResult,
): AcquisitionState {
  const stands = result.applied ? write?.next : result.found[0];
  const seen = write?.seen;
  let attempt = before;
  if (seen?.kind === 'lock' && stands?.kind === 'lock' && stands.status === 'ended' && stands.by === before.lockId) {
    const ended = new Map(before.memory.ended).set(seen.id, seen);
    attempt = remember(wish, { ...before, memory: { ...before.memory, ended } }, found);
  }
  return writes.length > 0 ? { kind: 'clearing', attempt, found, writes } : { kind: 'reading-resources', attempt };
}

/** The piece was to be written. */
export function pieceWritten(
  wish: Wish,
  before: Attempt,
  [lock, ...others]: readonly LockWrite[],
  result: LockWriteResult,
  now: number,
): AcquisitionState {
  // Refused, it may have been applied before, and the response lost: then the record is there, and no other worker knows its id.
  const stands = result.applied ? lock?.next : result.found[0];
  const own = stands?.kind === 'lock' ? stands : undefined;
  // Deleted by an operator: refused for ever.
  if (own === undefined && before.own) return { kind: 'waiting', attempt: { ...before, own }, busy: byNone };
  if (!result.applied) return { kind: 'reading-resources', attempt: { ...before, own } };
  const written = others.flatMap(({ next }) => (next.kind === 'resource' ? next : []));
  return pieceTaken(wish, { ...before, own, resources: [...before.resources, ...written] }, now);
}

function pieceTaken(wish: Wish, before: Attempt, now: number): AcquisitionState {
  const attempt = { ...before, from: before.from + wish.room };
  if (attempt.from < wish.ids.length) return { kind: 'reading-resources', attempt };
  return attempt.earlier.size > 0 ? { kind: 'reading-earlier', attempt } : lastLook(wish, attempt, now);
}

/** The resources are under the new lock by now. No worker comes back for what the earlier attempts had besides. */
export function endEarlier(
  wish: Wish,
  attempt: Attempt,
  [own, ...earlier]: readonly (StoredRecord | undefined)[],
  now: number,
): AcquisitionState {
  // An attempt that came after this one ends them.
  if (!isHeld(own)) return { kind: 'reading-own', attempt };
  const writes = earlier.flatMap((lock): readonly LockWrite[] => {
    if (lock?.kind !== 'lock' || lock.status !== 'kept') return [];
    return [{ next: changed(lock, attempt.lockId, lock.leaseUntil, 'ended'), seen: lock }];
  });
  return writes.length > 0 ? { kind: 'ending-earlier', attempt, writes } : lastLook(wish, attempt, now);
}

/** All is had. What follows takes its time as well: the lock must be this worker's for long enough in the end. */
export function lastLook(wish: Wish, attempt: Attempt, now: number): AcquisitionState {
  const remainingMs = (attempt.own?.leaseUntil ?? 0) - now;
  return remainingMs < wish.leaseMs / 2 ? renew(wish, attempt, now) : grant(wish, attempt, now);
}

export function renew(wish: Wish, attempt: Attempt, now: number): AcquisitionState {
  const { lockId, own } = attempt;
  const transition = extendLock(lockId, own, now + wish.leaseMs);
  if (transition === 'stale' || own === undefined) return { kind: 'reading-own', attempt };
  if (transition === 'applied') return grant(wish, attempt, now);
  return { kind: 'renewing', attempt, write: { next: transition, seen: own } };
}

export function grant(wish: Wish, attempt: Attempt, now: number): AcquisitionState {
  const { own } = attempt;
  if (own && own.leaseUntil > now) return { kind: 'granted', attempt, own };
  // A worker that stood still for so long must not begin: other holders may have come and gone.
  return letGo(wish, attempt, byNone, now);
}

/** All or none: what was taken before another holder was met. What an earlier attempt had stays its holder's. */
function letGo(wish: Wish, attempt: Attempt, busy: Busy, now: number): AcquisitionState {
  if (attempt.own === undefined) return over(attempt, busy);
  return attempt.earlier.size > 0 ? { kind: 'checking-earlier', attempt, busy } : endOwn(wish, attempt, busy, now);
}

/** If the work of the earlier attempts is done by now, what would be kept would be locked for no next attempt. */
export function letGoAfter(
  wish: Wish,
  before: Attempt,
  busy: Busy,
  found: readonly (StoredRecord | undefined)[],
  now: number,
): AcquisitionState {
  const open = found.flatMap((lock) => (lock?.kind === 'lock' && !isDone(before, lock) ? lock : []));
  return endOwn(wish, { ...before, earlier: new Map(open.map((lock) => [lock.id, lock])) }, busy, now);
}

/** Whether a lock of the same holder was ended by its own attempt, or by a later one that had all. Ended by a takeover, its work may be half done. */
function isDone({ lockId, memory }: Attempt, { id, status, by }: LockRecord): boolean {
  return status === 'ended' && by !== lockId && (by === id || memory.known.includes(by));
}

export function endOwn(wish: Wish, attempt: Attempt, busy: Busy, now: number): AcquisitionState {
  const { lockId, own, earlier } = attempt;
  if (own === undefined) return over(attempt, busy);
  const transition = earlier.size > 0 ? keepLock(lockId, own, now + wish.keepMs) : endLock(lockId, own);
  if (typeof transition === 'string') return over(attempt, busy);
  return { kind: 'letting-go', attempt, write: { next: transition, seen: own }, busy };
}

export function over(attempt: Attempt, busy: Busy): AcquisitionState {
  return { kind: busy.isFinal ? 'refused' : 'waiting', attempt, busy };
}

/** What stands of a lock after a write of it. */
export function standing(written: LockRecord, result: LockWriteResult): LockRecord | undefined {
  const stands = result.applied ? written : result.found[0];
  return stands?.kind === 'lock' ? stands : undefined;
}
