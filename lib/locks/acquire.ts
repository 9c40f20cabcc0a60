import { insisting } from './bounded.ts';
import { changed, decideLock, type Found, newLock } from './decide.ts';
import { heldBy, readResources } from './found.ts';
import { type HeldBy, type Lock, ownLock } from './lock.ts';
import type { LockSettings } from './options.ts';
import type { LockRecord } from './record.ts';
import { type Resource, resourceId } from './resource.ts';

/** Somebody else has some of the resources. Ask again after `retryAfterMs`: then their leases have ended, unless renewed. */
export interface HeldAnswer {
  readonly outcome: 'held';
  readonly by: readonly HeldBy[];
  readonly retryAfterMs: number;
}

/** What came of asking for resources: all of them, or none and who has some of them. */
export type LockAnswer = { readonly outcome: 'locked'; readonly lock: Lock } | HeldAnswer;

/** What one call asks for, and what its tries have found out. */
export interface Wish {
  readonly settings: LockSettings;
  /** The resources by their ids, in the order in which everybody locks them. */
  readonly named: ReadonlyMap<string, Resource>;
  readonly holder: string;
  readonly reason: string;
  /** Resources of other holders whose leases were over, and whose locks this wish has ended: of one resource, there may be several. */
  readonly takenOver: Map<string, Found>;
  /** Locks of other holders that this wish has ended, as they were before. */
  readonly ended: Map<string, LockRecord>;
  /** The pieces that it has looked at, by their first resource. */
  readonly looked: Set<string>;
  /** The locks of the holder that were there at the first look, and its own. A lock of the holder that is none of them came later. */
  readonly known: Set<string>;
  /** When it is to give up, in epoch milliseconds. */
  readonly deadline: number;
}

/** What came of one try. `isFinal`: a later attempt of the same holder has come in, and this one must not come in its way. */
export interface Tried {
  readonly answer: LockAnswer;
  readonly isFinal?: boolean;
}

/** One try at the resources of a wish, and what it has come to so far. */
interface Attempt {
  readonly wish: Wish;
  /** The token of this try. */
  readonly lockId: string;
  /** Locks of the holder's earlier attempts. */
  readonly earlier: Map<string, LockRecord>;
  readonly fences: Map<string, number>;
  readonly since: number;
  own: LockRecord | undefined;
}

/** It took too long to be had: nobody in particular is in the way. */
const nobody: Tried = { answer: { outcome: 'held', by: [], retryAfterMs: 0 } };

/**
 * One try at all resources. They are taken in pieces, in the order of their ids, which is the same for everybody; whoever meets somebody
 * else lets go of what it has. So nobody waits while holding, and there is no deadlock; and whoever is furthest in the
 * order is in nobody's way but meets nobody, so that somebody gets through.
 *
 * Each piece is one write, and the lock itself is in it: renewed, and refused if it is not this try's any more.
 *
 * @param lockId the token of this try: a late copy of the write that let go must not be taken for one about the next
 * @throws StoreUnavailableError; what was locked by then is free when its lease ends
 */
export async function tryLockAll(wish: Wish, lockId: string): Promise<Tried> {
  const { settings, named } = wish;
  const { store, host, leaseMs } = settings;
  wish.known.add(lockId);
  const maps = { earlier: new Map(), fences: new Map() };
  const attempt: Attempt = { wish, lockId, ...maps, since: host.now(), own: undefined };
  const ids = [...named.keys()];
  const room = Math.max(1, store.most - 1);
  for (let start = 0; start < ids.length; start += room) {
    const failed = await takePiece(attempt, ids.slice(start, start + room));
    if (failed === undefined) continue;
    await letGo(attempt);
    return failed;
  }
  const granted = attempt.own as LockRecord;
  const owner = ownLock(settings, granted);
  if ((await endEarlier(attempt)) === 'lost') return lost(attempt);
  // What follows from an answer takes its time as well: it must be ours for long enough in the end.
  if (owner.remainingMs() < leaseMs / 2 && (await askerOf(wish)(() => owner.renew())) === 'stale') return lost(attempt);
  if (owner.remainingMs() > 0) return { answer: { outcome: 'locked', lock: lockOf(attempt, granted, owner) } };
  // Whoever stood still for so long must not begin: others may have come and gone.
  await letGo(attempt);
  return nobody;
}

/** Takes some of the resources, all or none. Answers why not. */
async function takePiece(attempt: Attempt, piece: readonly string[]): Promise<Tried | undefined> {
  const { wish, lockId, fences } = attempt;
  const { named, known, looked } = wish;
  const [first = ''] = piece;
  const { store, host, leaseMs } = wish.settings;
  const ask = askerOf(wish);
  // Every turn but the last follows a write of somebody else's, or clears something away for good.
  for (;;) {
    const found = await ask(() => readResources(store, piece));
    recognise(attempt, found);
    if (attempt.own && attempt.own.status !== 'held') return lost(attempt);
    const later = found.filter(({ lock }) => lock?.holder === wish.holder && !known.has(lock.id));
    const isHeld = later.some(({ lock }) => lock?.status === 'held');
    if (isHeld && looked.has(first)) return fencedOff(heldBy(later, named));
    // An attempt that came later has been at our first piece, and has moved our lock on, before it is at this one.
    if (isHeld && attempt.own && !(await isStillOurs(attempt))) return lost(attempt);
    looked.add(first);
    for (const { lock } of later) known.add(lock?.id ?? '');

    const { holder, reason } = wish;
    const now = host.now();
    const request = { lockId, holder, reason, leaseUntil: now + leaseMs, resources: named.size };
    const decided = decideLock(found, request, wish.settings, now);
    if (decided.decision === 'held') {
      const by = heldBy(decided.by, named);
      return { answer: { outcome: 'held', by, retryAfterMs: decided.retryAfterMs } };
    }
    remember(attempt, found);
    if (decided.decision === 'clear') {
      // Each alone: it is right whatever becomes of the others, and of this request.
      for (const write of decided.writes) {
        const result = await ask(() => store.write([write]));
        const stands = result.applied ? write.next : result.found[0];
        if (stands?.kind !== 'lock' || stands.status !== 'ended' || stands.by !== lockId) continue;
        wish.ended.set(stands.id, write.seen as LockRecord);
        remember(attempt, found);
      }
      continue;
    }
    const since = Math.min(attempt.since, ...[...attempt.earlier.values()].map((lock) => lock.since));
    const { own } = attempt;
    if (own && decided.writes.length === 0) return undefined;
    const lock = own ? { next: changed(own, lockId, request.leaseUntil), seen: own } : newLock(request, since);
    const result = await ask(() => store.write([lock, ...decided.writes]));
    // Refused, it may have been applied before, and the answer lost: then the record is there, and nobody else knows its id.
    const stands = result.applied ? lock.next : result.found[0];
    if (stands?.kind === 'lock') attempt.own = stands;
    // Deleted by somebody's hand: refused for ever.
    else if (attempt.own) return nobody;
    if (!result.applied) continue;
    for (const { next } of decided.writes) if (next.kind === 'resource') fences.set(next.id, next.fence);
    return undefined;
  }
}

/** Sends the requests of a wish: none of them holds it up for much longer than it has time. */
function askerOf({ settings, deadline }: Wish) {
  return <T>(send: () => Promise<T>) => insisting(settings, send, deadline);
}

/** Whether nobody has moved this try's lock on. */
async function isStillOurs({ wish, lockId }: Attempt): Promise<boolean> {
  const { store } = wish.settings;
  const [current] = await askerOf(wish)(() => store.read([lockId]));
  return current?.kind === 'lock' && current.status === 'held';
}

/** What is our own already, from a write whose answer was lost. */
function recognise(attempt: Attempt, found: readonly Found[]): void {
  for (const { id, resource, lock } of found) {
    if (resource === undefined || lock?.id !== attempt.lockId) continue;
    if (attempt.own === undefined || lock.rev > attempt.own.rev) attempt.own = lock;
    attempt.fences.set(id, resource.fence);
  }
}

/** What is in the way, and is not in anybody else's hands. */
function remember({ wish, earlier, lockId }: Attempt, found: readonly Found[]): void {
  for (const one of found) {
    const { id, lock } = one;
    if (lock === undefined || lock.id === lockId) continue;
    const ended = wish.ended.get(lock.id);
    if (ended) wish.takenOver.set(`${lock.id} ${id}`, { ...one, lock: ended });
    else if (lock.status !== 'ended' && lock.holder === wish.holder) earlier.set(lock.id, lock);
  }
}

/** Our own lock is not ours any more: another attempt of the same holder has come in, or somebody else after the lease. */
async function lost({ wish, own }: Attempt): Promise<Tried> {
  const { settings, named, holder } = wish;
  const { store } = settings;
  const ask = askerOf(wish);
  const [current] = await ask(() => store.read([own?.id ?? '']));
  if (current?.kind !== 'lock') return nobody;
  const [theirs] = await ask(() => store.read([current.by]));
  if (theirs?.kind !== 'lock' || theirs.holder !== holder) return nobody;
  const [first = ''] = named.keys();
  return fencedOff(heldBy([{ id: first, resource: undefined, lock: theirs }], named));
}

function fencedOff(by: readonly HeldBy[]): Tried {
  return { answer: { outcome: 'held', by, retryAfterMs: 0 }, isFinal: true };
}

/** All or none: what was taken before somebody else was met. What an earlier attempt had stays the holder's. */
async function letGo({ wish, own, earlier }: Attempt): Promise<void> {
  if (own === undefined) return;
  const owner = ownLock(wish.settings, own);
  await askerOf(wish)(() => (earlier.size > 0 ? owner.keep() : owner.unlock()));
}

/** The resources are under the new lock by now. What the earlier attempt had besides is nobody's work any more. */
async function endEarlier({ wish, earlier, lockId }: Attempt): Promise<'lost' | undefined> {
  if (earlier.size === 0) return undefined;
  const { store } = wish.settings;
  const ask = askerOf(wish);
  const [own, ...found] = await ask(() => store.read([lockId, ...earlier.keys()]));
  // An attempt that came after this one does it.
  if (own?.kind !== 'lock' || own.status !== 'held') return 'lost';
  for (const lock of found) {
    if (lock?.kind !== 'lock' || lock.status !== 'kept') continue;
    const next: LockRecord = { ...lock, status: 'ended', by: lockId, rev: lock.rev + 1 };
    // Refused, somebody else has moved it on: it is only being tidied up.
    await ask(() => store.write([{ next, seen: lock }]));
  }
  return undefined;
}

function lockOf(attempt: Attempt, granted: LockRecord, owner: ReturnType<typeof ownLock>): Lock {
  const { wish, fences } = attempt;
  const { settings, named, takenOver } = wish;
  return {
    id: granted.id,
    holder: granted.holder,
    resources: [...named.values()],
    since: granted.since,
    takenOver: heldBy([...takenOver.values()], named),
    ...owner,
    fence(resource) {
      const fence = fences.get(resourceId(resource, settings.host));
      if (fence === undefined) throw new RangeError('the resource is not one of this lock');
      return fence;
    },
  };
}
