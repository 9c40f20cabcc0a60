import type { StoredRecord } from './record.ts';

/** One conditional write of one record. */
export interface LockWrite {
  readonly next: StoredRecord;
  /** The record that was decided upon: applied only if it is still that one. `undefined`: only if there is none. */
  readonly seen: StoredRecord | undefined;
}

/** Writes that were not applied say what stood there instead, in the order of the writes, as of the attempt. */
export type LockWriteResult =
  | { readonly applied: true }
  | { readonly applied: false; readonly found: readonly (StoredRecord | undefined)[] };

/**
 * The port to whatever keeps the locks: a compare-and-set over up to `most` records at once, and nothing more. All that is to
 * be decided is decided in `decideLock` and `settle`. Its specification is `lockStoreLaws` of `pawl/testing`.
 *
 * A call that rejects leaves it unknown whether the writes were applied.
 */
export interface LockStore {
  /** How many records one call of `write` takes at most. */
  readonly most: number;
  /** Reads any number of records, strongly consistent, in the order of the ids. */
  read(ids: readonly string[]): Promise<readonly (StoredRecord | undefined)[]>;
  /** Applies all writes if every record is still the one that was seen, and otherwise none. */
  write(writes: readonly LockWrite[]): Promise<LockWriteResult>;
}

/** What tells one state of a record from another: a number that every change of it raises. */
export function versionOf(record: StoredRecord): { readonly name: 'rev' | 'fence'; readonly version: number } {
  return record.kind === 'lock' ? { name: 'rev', version: record.rev } : { name: 'fence', version: record.fence };
}

/** Whether a record is still the one that was seen. */
export function unchanged(seen: StoredRecord | undefined, found: StoredRecord | undefined): boolean {
  if (seen === undefined || found === undefined) return seen === found;
  return versionOf(seen).version === versionOf(found).version;
}
