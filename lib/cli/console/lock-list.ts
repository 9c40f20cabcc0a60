import type { LockOperator, LockView, Progress } from 'pawl/locks';
import type { Operator } from 'pawl/operate';
import type { LockShown, LockState, LocksList, LocksNow } from './api.ts';
import { snapshots } from './snapshots.ts';

/** What the page holds at once. The command line lists more. */
const mostLocks = 2000;

export interface LockListOptions {
  /** @default no lock is shown */
  readonly locks: LockOperator | undefined;
  readonly operate: Pick<Operator, 'readClaim'>;
  /** How far the work of a lock's holder is. @default none is shown */
  readonly progressOf: ((holder: string, work: string) => Promise<Progress | undefined>) | undefined;
  /** The works whose progress is shown, by name. */
  readonly works: readonly string[];
  readonly now: () => number;
}

/** Which locks a page of the list shows. */
export interface LocksQuery {
  readonly state: LockState | undefined;
  /** A text that a lock's holder, reason, id or resources contain. */
  readonly q: string | undefined;
  readonly offset: number;
  readonly size: number;
  readonly maxAgeMs: number;
}

/** The locks that stand, as the page shows them: with what became of the request that holds each, and how far it is. */
export function lockList({ locks, operate, progressOf, works, now }: LockListOptions) {
  const snapshot = snapshots(async () => {
    const at = now();
    const found: LockView[] = [];
    for await (const page of locks?.list() ?? []) {
      found.push(...page);
      if (found.length >= mostLocks) return { at, found: oldestFirst(found).slice(0, mostLocks), truncated: true };
    }
    return { at, found: oldestFirst(found), truncated: false };
  }, now);

  /** The holder is the effect key of a request, in most consumers: then its claim says whether an attempt comes again. */
  async function shown(lock: LockView): Promise<LockShown> {
    const [claim, ...progress] = await Promise.all([
      operate.readClaim({ id: lock.holder }),
      ...works.map(async (work) => ({ work, ...(await progressOf?.(lock.holder, work)) })),
    ]);
    const begun = progress.flatMap(({ work, total, done }) =>
      total === undefined || done === undefined ? [] : [{ work, total, done }],
    );
    return { ...lock, state: stateOf(lock), claim: claim?.state ?? claim?.status, works: begun };
  }

  return {
    async read({ state, q = '', offset, size, maxAgeMs }: LocksQuery): Promise<LocksList> {
      const { at, found, truncated } = await snapshot.read(maxAgeMs);
      const matching = found.filter(
        (lock) => (state === undefined || stateOf(lock) === state) && textOf(lock).includes(q.toLowerCase()),
      );
      return {
        ...{ at, truncated, total: found.length },
        matching: matching.map(({ id, fence }) => ({ id, fence })),
        locks: await Promise.all(matching.slice(offset, offset + size).map(shown)),
      };
    },
    async one(id: string): Promise<LockShown | undefined> {
      const lock = await locks?.read(id);
      return lock && shown(lock);
    },
    async now(maxAgeMs: number): Promise<LocksNow> {
      const { found } = await snapshot.read(maxAgeMs);
      const count = (state: LockState) => found.filter((lock) => stateOf(lock) === state).length;
      const oldestAt = found.find(({ mayBeAlive }) => !mayBeAlive)?.since;
      return { kept: count('kept'), 'lease-over': count('lease-over'), held: count('held'), oldestAt };
    },
    forget: snapshot.forget,
  };
}

function oldestFirst(locks: readonly LockView[]): readonly LockView[] {
  return locks.toSorted((a, b) => a.since - b.since);
}

function stateOf({ status, mayBeAlive }: LockView): LockShown['state'] {
  return status === 'held' && !mayBeAlive ? 'lease-over' : status;
}

function textOf({ id, holder, reason, first }: LockView): string {
  return [id, holder, reason, ...first.map((parts) => parts.join('/'))].join('\n').toLowerCase();
}
