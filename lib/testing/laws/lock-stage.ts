import type { LockRecord, LockStore, LockWrite, LockWriteResult, ResourceRecord, StoredRecord } from 'pawl/internal';
import type { LosingResponses } from './claim-stage.ts';
import { expectSame, isSame } from './expect.ts';
import { freshKey, someDay } from './records.ts';

/** What one law of lock stores runs on. */
export interface LockStage {
  readonly store: LockStore;
  /** The same records as another process sees them. The store itself, where it has one process only. */
  readonly elsewhere: LockStore;
  readonly lossy: {
    readonly 'its caller': LosingResponses<LockStore>;
    readonly 'its client': LosingResponses<LockStore> | undefined;
  };
  readonly mayMeetItself: boolean;
}

/** A store as a caller uses it that did not get the response, and asks again: also of writes that were refused because of themselves. */
export function sentTwice(store: LockStore, mayMeetItself: boolean): LosingResponses<LockStore> {
  let lost = 0;
  return {
    lost: () => lost,
    store: {
      most: store.most,
      read: (ids) => store.read(ids),
      async write(writes) {
        const first = await store.write(writes);
        if (!wereApplied(first, writes, mayMeetItself)) return first;
        lost++;
        return store.write(writes);
      },
    },
  };
}

export const freshResourceId = (): string => `#resource#${freshKey()}`;
export const freshLockId = (): string => `#lock#${freshKey()}`;

export function resourceRecord(id: string, fence: number, lockId = '#lock#x'): ResourceRecord {
  return { kind: 'resource', id, lockId, fence, v: 'lock-1' };
}

export function lockRecord(id: string, rev: number, overrides: Partial<LockRecord> = {}): LockRecord {
  return {
    kind: 'lock',
    id,
    status: 'held',
    holder: 'repay#17',
    reason: '',
    since: someDay,
    leaseUntil: someDay + rev,
    resources: 2,
    by: id,
    rev,
    expiresAt: someDay / 1000,
    v: 'lock-1',
    ...overrides,
  };
}

/** Writes over nothing. */
export function firstWrites(records: readonly StoredRecord[]): readonly LockWrite[] {
  return records.map((next) => ({ next, seen: undefined }));
}

/** Applies writes that nothing stands in the way of. */
export async function apply({ store, mayMeetItself }: LockStage, writes: readonly LockWrite[]): Promise<void> {
  const result = await store.write(writes);
  if (wereApplied(result, writes, mayMeetItself)) return;
  const why = 'No lock could be had, renewed or ended.';
  expectSame('A write over the very records that were seen', result, { applied: true }, why);
}

/**
 * Whether writes were applied. A client that sends again by itself is refused by its own first try: the records that stand there are the very
 * ones that it wrote.
 */
export function wereApplied(result: LockWriteResult, writes: readonly LockWrite[], mayMeetItself: boolean): boolean {
  if (result.applied) return true;
  return mayMeetItself && writes.every(({ next }, index) => isSame(result.found[index], next));
}

export const create = (stage: LockStage, records: readonly StoredRecord[]): Promise<void> =>
  apply(stage, firstWrites(records));

/** Holds a store to have these records, or nothing, under these ids. */
export async function expectThere(
  { store }: LockStage,
  ids: readonly string[],
  records: readonly (StoredRecord | undefined)[],
  did: string,
  why: string,
): Promise<void> {
  expectSame(did, await store.read(ids), records, why);
}

/**
 * Holds a store to refuse writes, to say what stands there, and to leave that as it is.
 *
 * @param found what stands there, in the order of the writes
 */
export async function expectRefused(
  stage: LockStage,
  writes: readonly LockWrite[],
  found: readonly (StoredRecord | undefined)[],
  did: string,
  why: string,
): Promise<void> {
  expectSame(did, await stage.store.write(writes), { applied: false, found }, why);
  const ids = writes.map(({ next }) => next.id);
  await expectThere(stage, ids, found, `${did}: it was refused, and read(ids) shows a change`, why);
}
