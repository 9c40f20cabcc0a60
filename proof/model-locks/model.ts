import { changed, decideLock, type Found, type LockRequest, newLock } from '../../lib/locks/decide.ts';
import type { LockRecord, ResourceRecord, StoredRecord } from '../../lib/locks/record.ts';
import { endLock, extendLock, keepLock } from '../../lib/locks/settle.ts';
import { type LockWrite, unchanged } from '../../lib/locks/store.ts';

/**
 * Two holders and their workers at three resources, as steps between which anything else may happen. Every decision is made by
 * the functions that run in production; only the order of reads and writes is restated here, from `acquire.ts` and `lock.ts`.
 */
export interface World {
  /** Time as the workers see it; a lease lasts one tick. */
  readonly now: number;
  readonly crashes: number;
  /** How many answers were lost. */
  readonly lost: number;
  readonly records: Readonly<Record<string, StoredRecord>>;
  /** How often each resource was written by the application. */
  readonly written: Readonly<Record<string, number>>;
  readonly workers: readonly Worker[];
}

export interface Worker {
  readonly holder: number;
  readonly lockId: string;
  readonly at: 'waiting' | 'resources' | 'locks' | 'write' | 'working' | 'unlocking' | 'letting-go' | 'ended';
  /** Why it ended. */
  readonly end?: 'done' | 'stale' | 'crashed' | 'held';
  /** How many resources it has, taken in order. */
  readonly taken: number;
  /** Whether it has looked at its current piece before. */
  readonly looked: boolean;
  /** Locks of its holder that were there when it first looked. */
  readonly knows: readonly string[];
  readonly found: readonly (ResourceRecord | null)[];
  /** What it will write next, and what that is for. */
  readonly writes: readonly LockWrite[];
  readonly writesAre?: 'clear' | 'lock';
  readonly own?: LockRecord;
  /** Locks of the holder's earlier attempts. */
  readonly reentered: boolean;
  /** What the resources had been written when they were granted: nobody else may write before we have ended. */
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
  /** How many answers to writes get lost. */
  readonly lostAnswers: number;
  /** Whether leases are renewed. */
  readonly renewals: boolean;
  /** For showing that the search finds what is wrong: replaces a piece of the protocol. */
  readonly broken?: 'unguarded' | 'no-hand-over' | 'no-take-over';
}

const lease = 1;

export class Violation extends Error {
  override readonly name = 'Violation';
}

export function firstWorld({ wanted }: ModelOptions): World {
  const workers = wanted.map((_, holder) => newWorker(holder, holder));
  return { now: 0, crashes: 0, lost: 0, records: {}, written: {}, workers };
}

function newWorker(holder: number, number: number): Worker {
  const start = {
    taken: 0,
    looked: false,
    knows: [],
    found: [],
    writes: [],
    reentered: false,
    granted: {},
    commits: 0,
  };
  return { holder, lockId: `#lock#${number}`, at: 'resources', ...start };
}

const holderOf = ({ holder }: Worker) => `holder ${holder}`;

/** Every world that can come next. */
export function nextWorlds(world: World, options: ModelOptions): readonly World[] {
  const next: World[] = [];
  if (world.now < options.ticks) next.push({ ...world, now: world.now + 1 });
  for (const [index, worker] of world.workers.entries()) {
    if (worker.at === 'ended') continue;
    const workers = (changed: Worker) => world.workers.map((one, at) => (at === index ? changed : one));
    if (world.crashes < options.crashes) {
      // The message comes again, while the first worker is gone, or only thought to be.
      const again = newWorker(worker.holder, world.workers.length);
      const first: Worker = options.crashed === 'gone' ? { ...worker, at: 'ended', end: 'crashed' } : worker;
      next.push({ ...world, crashes: world.crashes + 1, workers: [...workers(first), again] });
    }
    for (const [changed, records, written, lost = 0] of steps(world, worker, options)) {
      next.push({ ...world, lost: world.lost + lost, workers: workers(changed), records, written });
    }
  }
  return next;
}

type Step = readonly [Worker, World['records'], World['written'], lost?: number];

function steps(world: World, worker: Worker, options: ModelOptions): readonly Step[] {
  const { records, written, now } = world;
  const wanted = options.wanted[worker.holder] ?? [];
  const piece = wanted.slice(worker.taken, worker.taken + options.most);
  const only = (changed: Worker): readonly Step[] => [[changed, records, written]];

  switch (worker.at) {
    case 'resources':
      return only({ ...worker, at: 'locks', found: piece.map((id) => (records[id] as ResourceRecord) ?? null) });
    case 'locks':
      return only(decided());
    case 'write':
      return write();
    case 'working':
      return work();
    case 'unlocking':
      return settle(endLock(worker.lockId, known()), 'done');
    case 'letting-go':
      return settle(
        worker.reentered ? keepLock(worker.lockId, known(), now + lease) : endLock(worker.lockId, known()),
        'held',
      );
    default:
      return [];
  }

  /** What the worker believes its lock to be, or what a refused write has shown. */
  function known(): LockRecord | undefined {
    return worker.own;
  }

  function decided(): Worker {
    const found = piece.map((id, at): Found => {
      const resource = worker.found[at] ?? undefined;
      return { id, resource, lock: resource && (records[resource.lockId] as LockRecord | undefined) };
    });
    const { own: _, ...rest } = worker;
    const seen = found.find(({ lock }) => lock?.id === worker.lockId)?.lock;
    const own = seen && seen.rev > (worker.own?.rev ?? 0) ? seen : worker.own;
    const others = found.flatMap(({ lock }) => (lock && lock.id !== worker.lockId ? [lock] : []));
    const later = others.filter((lock) => lock.holder === holderOf(worker) && !worker.knows.includes(lock.id));
    const knows = worker.looked ? worker.knows : [...worker.knows, ...later.map(({ id }) => id)];
    const base: Worker = { ...rest, ...(own && { own }), knows, looked: true, found: [] };
    const isFencedOff = worker.looked && later.some(({ status }) => status === 'held');
    if (isFencedOff || (own && own.status !== 'held')) {
      return own ? { ...base, at: 'letting-go' } : { ...base, at: 'ended', end: 'held' };
    }
    const request = requestOf();
    const decision = decideLock(found, request, { skewMs: 0 }, now);
    if (decision.decision === 'held') {
      return own ? { ...base, at: 'letting-go' } : { ...base, at: 'resources' };
    }
    const reentered =
      worker.reentered ||
      found.some(
        ({ lock }) => lock && lock.status !== 'ended' && lock.id !== worker.lockId && lock.holder === request.holder,
      );
    if (decision.decision === 'clear') {
      const isHandOver = decision.writes.some(({ next }) => next.kind === 'lock' && next.status === 'kept');
      // Broken on purpose: the resources are moved without the earlier lock being fenced off.
      if (options.broken === (isHandOver ? 'no-hand-over' : 'no-take-over')) {
        const writes = found.map(({ id, resource }): LockWrite => {
          const fence = (resource?.fence ?? 0) + 1;
          return { next: { kind: 'resource', id, lockId: worker.lockId, fence, v: 'lock-1' }, seen: resource };
        });
        return { ...base, reentered, at: 'write', writes: [claim(own, request), ...writes], writesAre: 'lock' };
      }
      return { ...base, reentered, at: 'write', writes: decision.writes.slice(0, 1), writesAre: 'clear' };
    }
    if (own && decision.writes.length === 0) return taken({ ...base, reentered });
    const writes = [claim(own, request), ...decision.writes];
    return { ...base, reentered, at: 'write', writes, writesAre: 'lock' };
  }

  /** The lock itself is in every write of a piece. */
  function claim(own: LockRecord | undefined, request: LockRequest): LockWrite {
    return own ? { next: changed(own, worker.lockId, request.leaseUntil), seen: own } : newLock(request, 0);
  }

  /** The piece is had: on to the next, or to work. */
  function taken(one: Worker): Worker {
    const count = one.taken + piece.length;
    const next: Worker = { ...one, taken: count, looked: false };
    if (count < wanted.length) return { ...next, at: 'resources' };
    return { ...next, at: 'working', granted: Object.fromEntries(wanted.map((id) => [id, written[id] ?? 0])) };
  }

  function requestOf(): LockRequest {
    const { lockId } = worker;
    return { lockId, holder: holderOf(worker), reason: '', leaseUntil: now + lease, resources: wanted.length };
  }

  function write(): readonly Step[] {
    const after = apply(records, worker.writes);
    const reread: Worker = { ...worker, at: 'resources', writes: [] };
    if (worker.writesAre !== 'lock') return [[reread, after ?? records, written]];
    const stands = (after ?? records)[worker.lockId] as LockRecord | undefined;
    const knows: Worker = stands ? { ...reread, own: stands } : reread;
    if (after === undefined) return only(knows);
    // Answered, or applied and never answered: then the worker writes again, is refused, and looks again.
    const answered: Step = [taken(knows), after, written];
    return world.lost < options.lostAnswers ? [answered, [worker, after, written, 1]] : [answered];
  }

  /** The application's write, in a transaction with `stillHeld`; or a renewal; or the end of the work. */
  function work(): readonly Step[] {
    const lock = records[worker.lockId] as LockRecord | undefined;
    if (lock?.status !== 'held' && options.broken !== 'unguarded')
      return only({ ...worker, at: 'ended', end: 'stale' });
    const next: Step[] = [];
    if (worker.commits < options.commits) {
      for (const id of wanted) {
        const resource = records[id] as ResourceRecord;
        if (resource.lockId !== worker.lockId)
          throw new Violation(`${worker.lockId} commits, and ${id} is not under it`);
        if ((written[id] ?? 0) !== (worker.granted[id] ?? 0)) {
          throw new Violation(`somebody else has written ${id} since it was granted to ${worker.lockId}`);
        }
      }
      const more = Object.fromEntries(wanted.map((id) => [id, (written[id] ?? 0) + 1]));
      next.push([{ ...worker, commits: worker.commits + 1, granted: more }, records, { ...written, ...more }]);
      const extended = extendLock(worker.lockId, lock, now + lease);
      if (options.renewals && typeof extended === 'object') {
        const after = { ...records, [lock?.id ?? '']: extended };
        next.push([{ ...worker, own: extended }, after, written]);
      }
    } else {
      next.push([{ ...worker, at: 'unlocking' }, records, written]);
    }
    return next;
  }

  function settle(transition: ReturnType<typeof endLock>, end: 'done' | 'held'): readonly Step[] {
    if (transition === 'stale') return only({ ...worker, at: 'ended', end: 'stale' });
    if (transition === 'applied') return only({ ...worker, at: 'ended', end });
    const after = apply(records, [{ next: transition, seen: worker.own }]);
    const found = records[worker.lockId] as LockRecord;
    if (after === undefined) return only({ ...worker, own: found });
    const answered: Step = [{ ...worker, at: 'ended', end }, after, written];
    return world.lost < options.lostAnswers ? [answered, [worker, after, written, 1]] : [answered];
  }
}

function apply(records: World['records'], writes: readonly LockWrite[]): World['records'] | undefined {
  if (!writes.every(({ next, seen }) => unchanged(seen, records[next.id]))) return undefined;
  const after: Record<string, StoredRecord> = { ...records };
  for (const { next } of writes) {
    const before = after[next.id];
    if (before?.kind === 'resource' && next.kind === 'resource' && next.fence !== before.fence + 1) {
      throw new Violation(`the fence of ${next.id} went from ${before.fence} to ${next.fence}`);
    }
    if (before?.kind === 'lock' && before.status === 'ended') throw new Violation(`${next.id} came back`);
    after[next.id] = next;
  }
  return after;
}
