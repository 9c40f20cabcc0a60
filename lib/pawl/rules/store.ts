import type { Aws } from '../aws/aws.ts';
import type { OptionError } from '../kernel/errors.ts';
import { isStill, type RecordState, type Write, type Written } from '../kernel/record.ts';
import type { ClaimRecord } from './record.ts';

/**
 * One conditional write of one claim. What `seen` has and `next` has not is removed.
 *
 * @example
 * const seen = await store.read(record.id);
 * const write: ClaimWrite = { next: { ...record, rev: (seen?.rev ?? 0) + 1 }, seen };
 * const { applied } = await store.write(write);
 */
export type ClaimWrite = Write<ClaimRecord>;

/** A write that was not applied says what stands there instead, as of after the attempt. */
export type WriteResult = Written<ClaimRecord>;

/**
 * The port to whatever keeps the claims: a compare-and-set over records, and nothing more. All that is to be decided is
 * decided in `decide` and `settle`, so a store cannot disagree with the protocol. Its specification is `claimStoreLaws` of `@pawl/testing`.
 *
 * A call that rejects leaves it unknown whether the write was applied.
 *
 * @example
 * function counted(store: ClaimStore, onWrite: () => void): ClaimStore {
 *   return {
 *     read: (id, waitsMs) => store.read(id, waitsMs),
 *     write: (write) => {
 *       onWrite();
 *       return store.write(write);
 *     },
 *   };
 * }
 */
export interface ClaimStore {
  /** The way to AWS of a store that has one. The doors over it use it for SQS. */
  readonly aws?: Aws | undefined;
  /**
   * What keeps the store from working at all, such as a missing name of its table: every call rejects with it. A consumer of SQS looks at it before it
   * reads a message, and returns the whole batch.
   */
  readonly setupError?: OptionError | undefined;
  /** @internal Whose open claims are listed for a store that is over another one. */
  readonly listed?: ClaimStore | undefined;
  /**
   * Reads one record, strongly consistent: a stale "not there" would let an effect run twice.
   *
   * @param waitsMs how long its author waits, in milliseconds. A store that throttles may use all of it. By default the store decides
   */
  read(id: string, waitsMs?: number): Promise<ClaimRecord | undefined>;
  /** Applies one write if the record is still the one that was seen: if it is `unchanged`. */
  write(write: ClaimWrite): Promise<WriteResult>;
}

/** What tells one state of a claim from every other one: whose grant it is, and how often the record has been written. */
export function claimState({ claimId, rev }: ClaimRecord): RecordState {
  return { claimId, rev };
}

/**
 * Whether a claim is still the one that was seen: the condition of every write.
 *
 * @example
 * const records = new Map<string, ClaimRecord>();
 * const write = async ({ next, seen }: ClaimWrite): Promise<WriteResult> => {
 *   const found = records.get(next.id);
 *   if (!unchanged(seen, found)) return { applied: false, found };
 *   records.set(next.id, next);
 *   return { applied: true };
 * };
 */
export function unchanged(seen: ClaimRecord | undefined, found: ClaimRecord | undefined): boolean {
  return isStill(claimState, seen, found);
}
