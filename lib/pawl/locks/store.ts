import { isStill, type RecordState, type Write } from '../kernel/record.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import type { StoredRecord } from './record.ts';

/** One conditional write of one record. */
export type LockWrite = Write<StoredRecord>;

/** Writes that were not applied say what stands there instead, in the order of the writes, as of the attempt. */
export type LockWriteResult =
  | { readonly applied: true }
  | { readonly applied: false; readonly found: readonly (StoredRecord | undefined)[] };

/**
 * The port to whatever keeps the locks: a compare-and-set over up to `most` records at once, and nothing more. All that is to
 * be decided is decided in `decide.ts` and `settle.ts`. Its specification is `lockStoreLaws` of `@pawl/testing`.
 *
 * A call that rejects leaves it unknown whether the writes were applied.
 */
export interface LockStore {
  /** How many records one call of `write` takes at most. */
  readonly most: number;
  /** Reads any number of records, strongly consistent, in the order of the ids. */
  read(ids: readonly string[]): Promise<readonly (StoredRecord | undefined)[]>;
  /** Applies all writes if every record is still the one that was seen: if all are `unchanged`. Otherwise it applies none. */
  write(writes: readonly LockWrite[]): Promise<LockWriteResult>;
}

/**
 * What a lock store can do besides, for operators: list the locks that stand, and change one under a right that makes no item.
 */
export interface OperatesLocks {
  /** Lists what the index keeps at one place, the first first. It may lag behind the records by a moment: read each of them. */
  listPlace: KeepsNotes['listPlace'];
  /** One write of one record that is there, as `write` applies it. */
  update(write: { readonly next: StoredRecord; readonly seen: StoredRecord }): Promise<LockWriteResult>;
}

/** What tells one state of a record from every other one: a number that every change of it raises. */
export function lockState(record: StoredRecord): RecordState {
  return record.kind === 'lock' ? { rev: record.rev } : { fence: record.fence };
}

/**
 * Whether a record is still the one that was seen: the condition of every write.
 *
 * @example
 * const records = new Map<string, StoredRecord>();
 * const write = async (writes: readonly LockWrite[]): Promise<LockWriteResult> => {
 *   const found = writes.map(({ next }) => records.get(next.id));
 *   if (!writes.every(({ seen }, index) => unchanged(seen, found[index]))) return { applied: false, found };
 *   for (const { next } of writes) records.set(next.id, next);
 *   return { applied: true };
 * };
 */
export function unchanged(seen: StoredRecord | undefined, found: StoredRecord | undefined): boolean {
  return isStill(lockState, seen, found);
}
