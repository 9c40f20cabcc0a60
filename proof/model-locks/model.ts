import { begin, next, requestOf } from '../../lib/pawl/locks/acquisition.ts';
import type { AcquisitionState, Event, Wish } from '../../lib/pawl/locks/acquisition-state.ts';
import type { LockRecord, ResourceRecord, StoredRecord } from '../../lib/pawl/locks/record.ts';
import { endLock, extendLock } from '../../lib/pawl/locks/settle.ts';
import { type LockWrite, type LockWriteResult, unchanged } from '../../lib/pawl/locks/store.ts';
import { type Breakage, broken } from './planted.ts';

/**
 * Two holders and their workers at three resources, as steps between which anything else may happen. Resources are acquired by the state
 * machine that runs in production: a step carries out one of its requests. Every other decision is made by production's functions, too.
 */
export interface World {
  /** Time as the workers see it; a lease lasts one tick. */
  readonly now: number;
  readonly crashes: number;
  /** How many responses were lost. */
  readonly lost: number;
  readonly records: Readonly<Record<string, StoredRecord>>;
  /** How often each resource was written by the application. */
  readonly written: Readonly<Record<string, number>>;
  readonly workers: readonly Worker[];
}

/** What a worker is at. */
export type Activity =
  | { readonly kind: 'acquiring'; readonly state: AcquisitionState }
  /** `own`: what the worker believes its lock to be. */
  | { readonly kind: 'working' | 'unlocking'; readonly own: LockRecord | undefined }
  | { readonly kind: 'ended'; readonly end: 'done' | 'stale' | 'crashed' | 'busy' };

export interface Worker {
  readonly holder: number;
  readonly lockId: string;
  readonly at: Activity;
  /** How often it has tried anew after it had let go: each attempt has a token of its own. */
  readonly retries: number;
  /** What the resources had been written when they were granted: no other worker may write before this one has ended. */
  readonly granted: Readonly<Record<string, number>>;
  readonly commits: number;
}

export interface ModelOptions {
  readonly wanted: readonly (readonly string[])[];
  /** How many resources go in one write. */
  readonly most: number;
  readonly crashes: number;
  /** Whether the first worker is gone when its message comes again, or goes on: only thought to be gone. */
  readonly crashed: 'gone' | 'goes-on';
  readonly ticks: number;
  /** How many transactions a worker commits under its lock. */
  readonly commits: number;
  /** How many responses to writes get lost. */
  readonly lostAnswers: number;
  /** Whether leases are renewed. */
  readonly renewals: boolean;
  /** How often a worker tries anew after it has let go. */
  readonly retries: number;
  /** For showing that the search finds what is wrong: replaces a piece of the protocol. */
  readonly broken?: Breakage;
}

const lease = 1;

export class Violation extends Error {
  override readonly name = 'Violation';
}

export function firstWorld({ wanted }: ModelOptions): World {
  const workers = wanted.map((_, holder) => newWorker(holder, holder, 0));
  return { now: 0, crashes: 0, lost: 0, records: {}, written: {}, workers };
}

function newWorker(holder: number, number: number, now: number): Worker {
  const lockId = `#lock#${number}`;
  const at: Activity = { kind: 'acquiring', state: begin(lockId, now) };
  return { holder, lockId, at, retries: 0, granted: {}, commits: 0 };
}

const holderOf = ({ holder }: Worker) => `holder ${holder}`;

/** Every world that can come next. */
export function nextWorlds(world: World, options: ModelOptions): readonly World[] {
  const following: World[] = [];
  if (world.now < options.ticks) following.push({ ...world, now: world.now + 1 });
  for (const [index, worker] of world.workers.entries()) {
    if (worker.at.kind === 'ended') continue;
    const workers = (changed: Worker) => world.workers.map((one, at) => (at === index ? changed : one));
    if (world.crashes < options.crashes) {
      // The message comes again, while the first worker is gone, or only thought to be.
      const again = newWorker(worker.holder, world.workers.length, world.now);
      const first: Worker = options.crashed === 'gone' ? ended(worker, 'crashed') : worker;
      following.push({ ...world, crashes: world.crashes + 1, workers: [...workers(first), again] });
    }
    for (const { worker: changed, records, written, lost = 0 } of steps(world, worker, options)) {
      following.push({ ...world, lost: world.lost + lost, workers: workers(changed), records, written });
    }
  }
  return following;
}

interface Step {
  readonly worker: Worker;
  readonly records: World['records'];
  readonly written: World['written'];
  readonly lost?: number;
}

function ended(worker: Worker, end: 'done' | 'stale' | 'crashed' | 'busy'): Worker {
  return { ...worker, at: { kind: 'ended', end } };
}

function steps(world: World, worker: Worker, options: ModelOptions): readonly Step[] {
  switch (worker.at.kind) {
    case 'acquiring':
      return acquire(world, worker, worker.at.state, options);
    case 'working':
      return work(world, worker, worker.at.own, options);
    case 'unlocking':
      return unlock(world, worker, worker.at.own, options);
    case 'ended':
      return [];
  }
}

function wishOf(worker: Worker, { wanted, most }: ModelOptions): Wish {
  const ids = wanted[worker.holder] ?? [];
  const times = { leaseMs: lease, keepMs: lease, skewMs: 0 };
  return { ids, holder: holderOf(worker), reason: '', room: most, ...times };
}

/** One request of the state machine, and what it makes of the response. */
function acquire(world: World, worker: Worker, state: AcquisitionState, options: ModelOptions): readonly Step[] {
  const { records, written, now, lost } = world;
  const wish = wishOf(worker, options);
  const request = requestOf(wish, state);
  const follow = (event: Event, after: World['records']): Step => {
    const following = broken(options.broken, wish, next(wish, state, event), now);
    return { worker: settled(after, world, worker, following, options), records: after, written };
  };
  if (request.kind === 'read') {
    return [follow({ kind: 'read', records: request.ids.map((id) => records[id]), now }, records)];
  }
  if (request.kind !== 'write') throw new Violation(`${worker.lockId} is driven in the state ${state.kind}`);
  const [own, ...others] = request.writes;
  const isBlind = options.broken === 'no-own-lock' && state.kind === 'taking' && own?.seen !== undefined;
  const { result, after } = isBlind ? blindly(records, own, others) : write(records, request.writes);
  const responded = follow({ kind: 'written', result, now }, after);
  // Applied, and the response lost: then the worker sends it again.
  if (!result.applied || lost >= options.lostAnswers) return [responded];
  return [responded, { worker, records: after, written, lost: 1 }];
}

/** A piece without the own lock in its write. */
function blindly(records: World['records'], own: LockWrite, others: readonly LockWrite[]): ReturnType<typeof write> {
  const { result, after } = write(records, others);
  return { result: result.applied ? result : { applied: false, found: [own.seen, ...result.found] }, after };
}

/** Drives the machine over the states in which it has no request to the store. */
function settled(
  records: World['records'],
  world: World,
  worker: Worker,
  state: AcquisitionState,
  options: ModelOptions,
): Worker {
  const { lockId } = worker;
  const stands = records[lockId];
  const lock = stands?.kind === 'lock' ? stands : undefined;
  if (state.kind === 'granted') {
    checkGrant(records, world, worker, state);
    const wanted = options.wanted[worker.holder] ?? [];
    const granted = Object.fromEntries(wanted.map((id) => [id, world.written[id] ?? 0]));
    return { ...worker, at: { kind: 'working', own: state.own }, granted };
  }
  if (state.kind !== 'waiting' && state.kind !== 'refused') return { ...worker, at: { kind: 'acquiring', state } };
  checkLetGo(lock, worker, state);
  if (state.kind === 'refused') return ended(worker, 'busy');
  // A token under which nothing was written is as good as a new one.
  if (lock !== undefined && worker.retries >= options.retries) return ended(worker, 'busy');
  const token = lock === undefined ? lockId : `${lockId}+`;
  const retries = lock === undefined ? worker.retries : worker.retries + 1;
  const again = next(wishOf(worker, options), state, { kind: 'waited', lockId: token, now: world.now });
  return { ...worker, lockId: token, retries, at: { kind: 'acquiring', state: again } };
}

function checkGrant(
  records: World['records'],
  { now }: World,
  { lockId, holder }: Worker,
  { own, attempt }: Extract<AcquisitionState, { readonly kind: 'granted' }>,
): void {
  if (own.leaseUntil <= now) throw new Violation(`invariant 6: ${lockId} is granted, and its lease is over`);
  for (const { id, fence } of attempt.resources) {
    const stands = records[id] as ResourceRecord;
    if (stands.lockId === lockId && fence > stands.fence) throw new Violation(`${id} has a fence below ${fence}`);
  }
  for (const lock of Object.values(records)) {
    if (lock.kind !== 'lock' || lock.by !== lockId || lock.holder === `holder ${holder}`) continue;
    const isTold = [...attempt.memory.takenOver.values()].some((one) => one.lock?.id === lock.id);
    if (!isTold) throw new Violation(`${lockId} has taken over ${lock.id}, and its worker does not learn of it`);
  }
}

function checkLetGo(lock: LockRecord | undefined, { lockId }: Worker, { kind, attempt }: AcquisitionState): void {
  if (lock?.status === 'held') throw new Violation(`invariant 1: ${lockId} is ${kind}, and is still held`);
  if (lock?.status === 'ended' && lock.by === lockId && attempt.earlier.size > 0) {
    throw new Violation(`invariant 1: ${lockId} frees what an earlier attempt of its holder had`);
  }
}

/** The application's write, in a transaction with `stillHeld`; or a renewal; or the end of the work. */
function work(world: World, worker: Worker, own: LockRecord | undefined, options: ModelOptions): readonly Step[] {
  const { records, written, now } = world;
  const { lockId } = worker;
  const wanted = options.wanted[worker.holder] ?? [];
  const lock = records[lockId] as LockRecord | undefined;
  if (lock?.status !== 'held' && options.broken !== 'unguarded') {
    return [{ worker: ended(worker, 'stale'), records, written }];
  }
  if (worker.commits >= options.commits) {
    return [{ worker: { ...worker, at: { kind: 'unlocking', own } }, records, written }];
  }
  for (const id of wanted) {
    const resource = records[id] as ResourceRecord;
    if (resource.lockId !== lockId) throw new Violation(`${lockId} commits, and ${id} is not under it`);
    if ((written[id] ?? 0) !== (worker.granted[id] ?? 0)) {
      throw new Violation(`another worker has written ${id} since it was granted to ${lockId}`);
    }
  }
  const more = Object.fromEntries(wanted.map((id) => [id, (written[id] ?? 0) + 1]));
  const committed: Step = {
    worker: { ...worker, commits: worker.commits + 1, granted: more },
    records,
    written: { ...written, ...more },
  };
  const extended = extendLock(lockId, lock, now + lease);
  if (!options.renewals || typeof extended === 'string') return [committed];
  const renewed: Worker = { ...worker, at: { kind: 'working', own: extended } };
  return [committed, { worker: renewed, records: { ...records, [lockId]: extended }, written }];
}

function unlock(world: World, worker: Worker, own: LockRecord | undefined, options: ModelOptions): readonly Step[] {
  const { records, written, lost } = world;
  const transition = endLock(worker.lockId, own);
  if (transition === 'stale') return [{ worker: ended(worker, 'stale'), records, written }];
  if (transition === 'applied') return [{ worker: ended(worker, 'done'), records, written }];
  const { result, after } = write(records, [{ next: transition, seen: own }]);
  if (!result.applied) {
    const known = records[worker.lockId] as LockRecord | undefined;
    return [{ worker: { ...worker, at: { kind: 'unlocking', own: known } }, records, written }];
  }
  const responded: Step = { worker: ended(worker, 'done'), records: after, written };
  return lost < options.lostAnswers ? [responded, { worker, records: after, written, lost: 1 }] : [responded];
}

/** A store of one's own: a compare-and-set by `unchanged`, which looks at what is written. @throws Violation */
function write(
  records: World['records'],
  writes: readonly LockWrite[],
): { readonly result: LockWriteResult; readonly after: World['records'] } {
  const found = writes.map(({ next }) => records[next.id]);
  if (!writes.every(({ seen }, index) => unchanged(seen, found[index]))) {
    return { result: { applied: false, found }, after: records };
  }
  const after: Record<string, StoredRecord> = { ...records };
  for (const { next } of writes) after[next.id] = next;
  for (const { next } of writes) checkWrite(records, after, next);
  return { result: { applied: true }, after };
}

function checkWrite(records: World['records'], after: World['records'], next: StoredRecord): void {
  const before = records[next.id];
  if (next.kind === 'lock') {
    if (before?.kind === 'lock' && before.status === 'ended') throw new Violation(`${next.id} came back`);
    return;
  }
  const fence = before?.kind === 'resource' ? before.fence : 0;
  if (next.fence !== fence + 1) throw new Violation(`the fence of ${next.id} went from ${fence} to ${next.fence}`);
  const lock = after[next.lockId];
  if (lock?.kind !== 'lock' || lock.status !== 'held') {
    throw new Violation(`invariant 4: ${next.id} goes under ${next.lockId}, which is not held`);
  }
  const earlier = before?.kind === 'resource' ? records[before.lockId] : undefined;
  if (earlier?.kind !== 'lock' || earlier.status === 'ended') return;
  if (earlier.status === 'kept' && earlier.holder === lock.holder) return;
  throw new Violation(`invariant 3: ${next.id} is taken from ${earlier.id}, which is ${earlier.status}`);
}
