import { type ClaimRules, expiry, type ParkedReason, parkedRecord } from './decide.ts';
import type { ClaimRecord, RecordedError, ResultOmitted } from './record.ts';
import type { ClaimWrite } from './store.ts';

/** How an attempt ended, as its owner reports it. */
export type Outcome =
  | { readonly outcome: 'completed'; readonly result?: string; readonly resultOmitted?: ResultOmitted }
  /** May be tried again. `unknown`: the attempt may have applied the effect before it failed. */
  | { readonly outcome: 'released'; readonly error: RecordedError; readonly unknown: boolean }
  | { readonly outcome: 'rejected'; readonly error: RecordedError }
  | { readonly outcome: 'parked'; readonly reason: ParkedReason; readonly message: string };

export type Settlement =
  | { readonly settlement: 'write'; readonly write: ClaimWrite }
  /** Nothing to write: this very outcome was recorded already, and its answer lost. */
  | { readonly settlement: 'applied' }
  /** The claim is somebody else's by now. Reported, never overwritten. */
  | { readonly settlement: 'stale' };

/**
 * How the owner of a claim records an outcome, given what the store holds now. Pure, like `decide`.
 *
 * @param held the record as it was granted to this owner
 * @param found what the store holds; to begin with, `held` itself
 */
export function settle(
  held: ClaimRecord,
  found: ClaimRecord | undefined,
  outcome: Outcome,
  rules: Pick<ClaimRules, 'retentionSeconds'>,
  now: number,
): Settlement {
  // A record that is gone was deleted behind our back. Writing it anew would grant ourselves a claim nobody gave us.
  if (found === undefined || found.claimId !== held.claimId) return { settlement: 'stale' };
  const next = settledRecord(found, outcome, rules, now);
  if (found.status === 'in-flight') {
    return { settlement: 'write', write: { next, expect: { kind: 'owned', record: found } } };
  }
  if (found.status === next.status) return { settlement: 'applied' };
  if (found.status === 'parked' && outcome.outcome === 'completed') {
    // The late proof: the claim was parked because its last holder was thought dead, and here it is with the answer.
    return { settlement: 'write', write: { next, expect: { kind: 'unchanged', record: found } } };
  }
  return { settlement: 'stale' };
}

/** Extends a lease, and never shortens it. */
export function renew(held: ClaimRecord, found: ClaimRecord | undefined, leaseUntil: number): Settlement {
  if (found === undefined || found.claimId !== held.claimId || found.status !== 'in-flight') {
    return { settlement: 'stale' };
  }
  if (found.leaseUntil >= leaseUntil) return { settlement: 'applied' };
  return { settlement: 'write', write: { next: { ...found, leaseUntil }, expect: { kind: 'owned', record: found } } };
}

function settledRecord(
  found: ClaimRecord,
  outcome: Outcome,
  rules: Pick<ClaimRules, 'retentionSeconds'>,
  now: number,
): ClaimRecord {
  const { error: _, expiresAt: __, unknownAt, ...kept } = found;
  const base = { ...kept, ...expiry(rules.retentionSeconds, now) };
  switch (outcome.outcome) {
    case 'completed':
      return {
        ...base,
        status: 'completed',
        ...(outcome.result !== undefined && { result: outcome.result }),
        ...(outcome.resultOmitted !== undefined && { resultOmitted: outcome.resultOmitted }),
      };
    case 'rejected':
      return { ...base, status: 'rejected', error: outcome.error };
    case 'released': {
      // Released, not deleted: a deleted record restarts the fence at 1, and a stalled worker still holding 1 could
      // complete a lease that it no longer owns.
      const doubt = outcome.unknown ? now : unknownAt;
      return { ...base, status: 'released', error: outcome.error, ...(doubt !== undefined && { unknownAt: doubt }) };
    }
    case 'parked':
      return parkedRecord(found, { name: outcome.reason, message: outcome.message }, now);
  }
}
