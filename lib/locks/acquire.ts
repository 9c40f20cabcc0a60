import { decideLock, type Found, type LockRequest, newLock } from './decide.ts';
import { heldBy, readResources } from './found.ts';
import { type HeldBy, insisting, type Lock, ownLock } from './lock.ts';
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

/** It took too long to be had: nobody in particular is in the way. */
const nobody: HeldAnswer = { outcome: 'held', by: [], retryAfterMs: 0 };

/** One try at resources, and what it has come to so far. */
interface Attempt {
  readonly settings: LockSettings;
  readonly named: ReadonlyMap<string, Resource>;
  readonly request: LockRequest;
  readonly now: number;
  /** Locks of the holder's earlier attempts. */
  readonly earlier: Map<string, LockRecord>;
  /** Resources of other holders whose leases were over. */
  readonly takenOver: Map<string, Found>;
  readonly fences: Map<string, number>;
  own: LockRecord | undefined;
}

/**
 * One try at all resources. Up to `store.most` of them are one write. More are taken piece by piece in the order of their ids,
 * which is the same for everybody, and whoever meets somebody else lets go of what it has. So nobody waits while holding, and
 * there is no deadlock; and whoever is furthest in the order is in nobody's way but meets nobody, so that somebody gets through.
 *
 * @param named the resources by their ids, in order
 * @throws StoreUnavailableError; what was locked by then is free when its lease ends
 */
export async function tryLockAll(
  settings: LockSettings,
  named: ReadonlyMap<string, Resource>,
  who: Pick<LockRequest, 'lockId' | 'holder' | 'reason'>,
): Promise<LockAnswer> {
  const { store, host, leaseMs } = settings;
  const now = host.now();
  const request = { ...who, leaseUntil: now + leaseMs, resources: named.size };
  const maps = { earlier: new Map(), takenOver: new Map(), fences: new Map() };
  const attempt: Attempt = { settings, named, request, now, ...maps, own: undefined };
  const ids = [...named.keys()];
  // The lock itself is a write as well. Where there is no room for it beside the resources, it is made before them.
  const inOneWrite = ids.length < store.most;
  for (let start = 0; start < ids.length; start += store.most) {
    const held = await takePiece(attempt, ids.slice(start, start + store.most), inOneWrite);
    if (held === undefined) continue;
    await letGo(attempt);
    return held;
  }
  const granted = attempt.own as LockRecord;
  const owner = ownLock(settings, granted);
  await endEarlier(attempt);
  // Piece by piece takes its time, and so do retries: it must be ours for long enough in the end.
  const isLate = !inOneWrite || owner.remainingMs() < leaseMs / 2;
  if (isLate && (await owner.renew()) === 'stale') return nobody;
  if (owner.remainingMs() > 0) return { outcome: 'locked', lock: lockOf(attempt, granted, owner) };
  // Whoever stood still for so long must not begin: others may have come and gone.
  await letGo(attempt);
  return nobody;
}

/** Takes some of the resources, all or none. */
async function takePiece(
  attempt: Attempt,
  piece: readonly string[],
  inOneWrite: boolean,
): Promise<HeldAnswer | undefined> {
  const { settings, named, request, fences } = attempt;
  const { store, host } = settings;
  // Every turn but the last follows a write of somebody else's, or clears something away for good.
  for (;;) {
    const found = await insisting(host, () => readResources(store, piece));
    const decided = decideLock(found, request, settings, host.now());
    if (decided.decision === 'late') return nobody;
    if (decided.decision === 'held') {
      return { outcome: 'held', by: heldBy(decided.by, named), retryAfterMs: decided.retryAfterMs };
    }
    remember(attempt, found);
    if (decided.decision === 'clear') {
      // Each alone: it is right whatever becomes of the others, and of this request.
      for (const write of decided.writes) await insisting(host, () => store.write([write]));
      continue;
    }
    const since = Math.min(attempt.now, ...[...attempt.earlier.values()].map((lock) => lock.since));
    const create = newLock(request, since);
    if (attempt.own === undefined && !inOneWrite) {
      // Refused, it was written before and the answer lost: nobody else knows its id.
      await insisting(host, () => store.write([create]));
      attempt.own = create.next as LockRecord;
    }
    const writes = attempt.own === undefined ? [create, ...decided.writes] : decided.writes;
    if (writes.length > 0 && !(await insisting(host, () => store.write(writes))).applied) continue;
    attempt.own ??= create.next as LockRecord;
    for (const { next } of decided.writes) if (next.kind === 'resource') fences.set(next.id, next.fence);
    return undefined;
  }
}

/** What was found in the way or, from a write whose answer was lost, our own. */
function remember(attempt: Attempt, found: readonly Found[]): void {
  const { lockId, holder } = attempt.request;
  for (const one of found) {
    const { id, resource, lock } = one;
    if (lock === undefined || resource === undefined) continue;
    if (lock.id === lockId) {
      attempt.own ??= lock;
      attempt.fences.set(id, resource.fence);
    } else if (lock.status !== 'ended') {
      if (lock.holder === holder) attempt.earlier.set(lock.id, lock);
      else attempt.takenOver.set(id, one);
    }
  }
}

/** All or none: what was taken before somebody else was met. What an earlier attempt had stays the holder's. */
async function letGo({ settings, own, earlier }: Attempt): Promise<void> {
  if (own === undefined) return;
  const owner = ownLock(settings, own);
  await (earlier.size > 0 ? owner.keep() : owner.unlock());
}

/** The resources are under the new lock by now. What the earlier attempt had besides is nobody's work any more. */
async function endEarlier({ settings, earlier, request }: Attempt): Promise<void> {
  const { store, host } = settings;
  const found = await insisting(host, () => store.read([...earlier.keys()]));
  for (const lock of found) {
    if (lock?.kind !== 'lock' || lock.status !== 'kept') continue;
    const next: LockRecord = { ...lock, status: 'ended', by: request.lockId, rev: lock.rev + 1 };
    // Refused, somebody else has moved it on: it is only being tidied up.
    await insisting(host, () => store.write([{ next, seen: lock }]));
  }
}

function lockOf(attempt: Attempt, granted: LockRecord, owner: ReturnType<typeof ownLock>): Lock {
  const { settings, named, takenOver, fences } = attempt;
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
