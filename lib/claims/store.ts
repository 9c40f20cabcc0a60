import type { ClaimRecord } from './record.ts';

/** One conditional write of one record. What `seen` has and `next` has not is removed. */
export interface ClaimWrite {
  readonly next: ClaimRecord;
  /** The record that was decided upon: the write is applied only if it is still that one. `undefined`: only if there is none. */
  readonly seen: ClaimRecord | undefined;
}

/** A write that was not applied says what stands there instead, as of after the attempt. */
export type WriteResult =
  | { readonly applied: true }
  | { readonly applied: false; readonly found: ClaimRecord | undefined };

/**
 * The port to whatever keeps the claims: a compare-and-set over records, and nothing more. All that is to be decided is
 * decided in `decide` and `settle`, so a store cannot disagree with the protocol. Its specification is `claimStoreLaws` of `pawl/testing`.
 *
 * A call that rejects leaves it unknown whether the write was applied.
 */
export interface ClaimStore {
  /** Reads one record, strongly consistent: a stale "not there" would let an effect run twice. */
  read(id: string): Promise<ClaimRecord | undefined>;
  /** Applies one write if the record is still the one that was seen. */
  write(write: ClaimWrite): Promise<WriteResult>;
}

/** What tells one state of a record from every other: whose grant it is, and how often it has been written. */
export const identity = ['claimId', 'rev'] as const satisfies readonly (keyof ClaimRecord)[];

/**
 * What tells the states of a record of schema 1 apart, which has no revision. Values of a lease come back, so this is weaker;
 * such a record is only ever replaced by one of schema 2.
 */
export const identityBeforeRevisions = [
  'claimId',
  'status',
  'leaseUntil',
] as const satisfies readonly (keyof ClaimRecord)[];

/**
 * Whether a record is still the one that was seen: the condition of every write. The condition expressions of
 * `stores/dynamodb` say the same in DynamoDB's language.
 */
export function unchanged(seen: ClaimRecord | undefined, found: ClaimRecord | undefined): boolean {
  if (seen === undefined || found === undefined) return seen === found;
  const names = seen.rev === undefined ? identityBeforeRevisions : identity;
  // Where none was seen, none may be there: a worker of an earlier version leaves `rev` as it is, a newer one never does.
  return seen.rev === found.rev && names.every((name) => seen[name] === found[name]);
}
