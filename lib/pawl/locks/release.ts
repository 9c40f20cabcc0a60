import { expect } from '../kernel/check.ts';
import { callListener } from '../kernel/listener.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import { expectActedBy } from '../rules/resolve.ts';
import { type LockDesk, type LockView, readLock, skewMs, viewOf } from './lock-view.ts';
import type { ReleasedLock } from './record.ts';
import { type ReleaseRefusal, releaseLock } from './settle.ts';

/*
 * The release of locks by an operator.
 *
 * Owns: the plan, and what carries it out. Does not own: whether a lock may be released (`settle.ts`), or what becomes of the work under it: its holder's next
 * attempt goes on with it, or the author gives it up.
 */

const docs = 'docs/guides/locks.md';

/** One act of an operator on a lock, as it is reported to `onEvent`. */
export interface LockReleasedEvent {
  readonly type: 'lock-released';
  /** Of the lock. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly note: string;
  /** The revision of the lock that was released. */
  readonly fence: number;
  /** How many resources are free. */
  readonly resources: number;
}

/** Why a lock stays. */
export type LockStays = ReleaseRefusal;

/** What a release would do about one lock. */
export type PlannedRelease =
  | { readonly id: string; readonly will: 'release'; readonly fence: number; readonly lock: LockView }
  | { readonly id: string; readonly will: 'stay'; readonly whyNot: LockStays; readonly lock: LockView | undefined };

/**
 * What a release would do. Plain data.
 *
 * @example
 * const plan: ReleasePlan = await lockOperator({ store: lockStore }).planRelease({ locks: [{ id: lock.id }], by: 'maria', note: 'cancelled' });
 * console.log(plan.count, 'would be released');
 */
export interface ReleasePlan {
  /** Who releases them. */
  readonly by: string;
  /** Why. The record of each lock keeps it. */
  readonly note: string;
  /** What would become of each lock that was named. */
  readonly items: readonly PlannedRelease[];
  /** How many would be released. */
  readonly count: number;
}

/** What became of one lock. */
export type ReleaseResult =
  | { readonly id: string; readonly outcome: 'released'; readonly lock: LockView }
  | { readonly id: string; readonly outcome: 'stays'; readonly whyNot: LockStays };

/**
 * What is to be released, and why.
 *
 * @example
 * const wanted: ReleaseWanted = { locks: [{ id: lock.id }], by: 'maria', note: 'the payment was cancelled' };
 */
export interface ReleaseWanted {
  /** The locks, by their ids; with the `fence` that was seen, only if it is still that one. */
  readonly locks: readonly { readonly id: string; readonly fence?: number | undefined }[];
  /** Who releases them. */
  readonly by: string;
  /** Why: at most 2,000 characters. The record of each lock keeps it. */
  readonly note: string;
}

export interface ReleaseDesk extends LockDesk {
  readonly onEvent: (event: LockReleasedEvent) => void;
}

export async function planRelease(desk: LockDesk, wanted: ReleaseWanted): Promise<ReleasePlan> {
  expectOptions(wanted, { door: 'lockOperator().planRelease', known: { locks: true, by: true, note: true }, docs });
  const { locks, by, note } = wanted;
  expect(Array.isArray(locks), 'locks', "a list of locks, such as [{ id: '#lock#…' }]", locks);
  expectActedBy(by, note);
  const items: PlannedRelease[] = [];
  for (const { id, fence } of locks) {
    const found = await readLock(desk, id);
    const now = desk.host.now();
    const decided = releaseLock(found, fence ?? found?.rev ?? 0, { at: now, by, note }, { skewMs }, now);
    const lock = found && viewOf(desk, found);
    if (decided.kind === 'write') {
      items.push({ id, will: 'release', fence: decided.seen.rev, lock: viewOf(desk, decided.seen) });
    } else items.push({ id, will: 'stay', whyNot: decided.kind === 'refused' ? decided.why : 'ended', lock });
  }
  return { by, note, items, count: items.filter(({ will }) => will === 'release').length };
}

export async function* release(
  desk: ReleaseDesk,
  plan: ReleasePlan,
  acting: { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<ReleaseResult, void, undefined> {
  expectOptions(acting, { door: 'lockOperator().release', known: { signal: true }, docs });
  expect(Array.isArray(propertyOf(plan, 'items')), 'plan', 'the plan that planRelease has made', plan);
  const { by, note } = plan;
  for (const item of plan.items) {
    if (acting.signal?.aborted) return;
    if (item.will === 'stay') yield { id: item.id, outcome: 'stays', whyNot: item.whyNot };
    else yield await releaseOne(desk, item, { at: desk.host.now(), by, note });
  }
}

async function releaseOne(
  desk: ReleaseDesk,
  { id, fence }: Extract<PlannedRelease, { readonly will: 'release' }>,
  released: ReleasedLock,
): Promise<ReleaseResult> {
  let found = await readLock(desk, id);
  for (;;) {
    const decided = releaseLock(found, fence, released, { skewMs }, desk.host.now());
    if (decided.kind === 'refused') return { id, outcome: 'stays', whyNot: decided.why };
    const record = decided.kind === 'write' ? decided.next : decided.record;
    if (decided.kind === 'write') {
      const result = await desk.store.update(decided);
      // What stands there is another revision, which refuses, or the write itself, whose response was lost.
      if (!result.applied) {
        found = result.found[0]?.kind === 'lock' ? result.found[0] : undefined;
        continue;
      }
    }
    const { resources } = record;
    callListener(desk.onEvent, { type: 'lock-released', id, ...released, fence, resources });
    return { id, outcome: 'released', lock: viewOf(desk, record) };
  }
}
