import type { ClaimRecord } from './record.ts';

/**
 * What a write expects to find. A store applies the write only if it does, in one atomic step.
 *
 * - `absent`: no record of this id.
 * - `unchanged`: the record is still the one that was decided upon: same status, claim id, fence, lease and attempts.
 * - `owned`: the claim is still ours: same claim id, and in flight. The lease may have been renewed meanwhile.
 */
export type Expectation =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unchanged'; readonly record: ClaimRecord }
  | { readonly kind: 'owned'; readonly record: ClaimRecord };

/** One conditional write of one record. What the record had before, and `next` has not, is removed. */
export interface ClaimWrite {
  readonly next: ClaimRecord;
  readonly expect: Expectation;
}

/** A write that was not applied says what stands there instead, as of after the attempt. */
export type WriteResult =
  | { readonly applied: true }
  | { readonly applied: false; readonly found: ClaimRecord | undefined };

/**
 * The port to whatever keeps the claims: a compare-and-set over records, and nothing more. All that is to be decided is
 * decided in `decide` and `settle`, so a store cannot disagree with the protocol. Its specification is `test/laws`.
 *
 * A call that rejects leaves it unknown whether the write was applied.
 */
export interface ClaimStore {
  /** Reads one record, strongly consistent: a stale "not there" would let an effect run twice. */
  read(id: string): Promise<ClaimRecord | undefined>;
  /** Applies one write if what it expects holds. */
  write(write: ClaimWrite): Promise<WriteResult>;
}

/** Whether an expectation holds. The condition expressions of `stores/dynamodb` say the same in DynamoDB's language. */
export function holds(expect: Expectation, found: ClaimRecord | undefined): boolean {
  if (expect.kind === 'absent') return found === undefined;
  if (found === undefined || found.claimId !== expect.record.claimId) return false;
  if (expect.kind === 'owned') return found.status === 'in-flight';
  const seen = expect.record;
  return (
    found.status === seen.status &&
    found.fence === seen.fence &&
    found.leaseUntil === seen.leaseUntil &&
    found.attempts === seen.attempts
  );
}
