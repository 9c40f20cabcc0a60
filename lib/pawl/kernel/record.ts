/**
 * Versioned records: compare-and-set. Claims, locks and the progress of large work are policies over this.
 *
 * Owns: what a conditional write is, and what it compares. Does not own: what a record means, when it may change (`decide` and
 * `settle` of each policy), or how a store carries a write out (`lib/pawl/stores`).
 *
 * 1. A write is applied only if the record is still the one that its author saw. "Nothing was there" is a condition like any other.
 * 2. A write that was not applied says what stands there instead, so that its author can decide anew, or recognise its own write.
 * 3. A write whose answer is lost may have been applied, or may be applied later. Its author finds out by writing again.
 * 4. Two states of one record never compare equal: every write moves on something that the condition compares.
 */

/** One conditional write of one record. An attribute that `seen` has and `next` has not is removed. */
export interface Write<Record> {
  /** The record as it is to stand. */
  readonly next: Record;
  /** The record that was decided upon: the write is applied only if it is still that one. `undefined`: only if there is none. */
  readonly seen: Record | undefined;
  /** How long its author waits, in milliseconds. A store that throttles may use all of it. @default the store decides */
  readonly waitsMs?: number | undefined;
}

/** What became of a write. If it was not applied, `found` is what stands there instead, as of after the attempt. */
export type Written<Record> =
  | { readonly applied: true }
  | { readonly applied: false; readonly found: Record | undefined };

/**
 * What tells one state of a record from every other one: attributes, and the values that they must still have. Every condition in every
 * store's language is made from this.
 */
export type RecordState = Readonly<Record<string, string | number>>;

/** Whether a record is still the one that was seen. */
export function isStill<R>(stateOf: (record: R) => RecordState, seen: R | undefined, found: R | undefined): boolean {
  if (seen === undefined || found === undefined) return seen === found;
  const [before, after] = [stateOf(seen), stateOf(found)];
  return Object.keys({ ...before, ...after }).every((name) => before[name] === after[name]);
}

/**
 * What the owner of a record may make of it: the record to write if it is still the one that was found; `applied`, when that
 * was written before and the response was lost; `stale`, when the record belongs to another worker by now.
 */
export type Transition<Record> = Record | 'applied' | 'stale';
