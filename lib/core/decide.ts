import type { ClaimRecord, RecordedError } from './record.ts';
import type { ClaimWrite } from './store.ts';

/** What happens to a claim that was abandoned, as far as the decision needs to know. */
export type AbandonedPolicy = 'retry' | 'park' | 'reconcile';

/** The rules a claim is decided by. They come from the consumer's options, and are the same for all its keys. */
export interface ClaimRules {
  readonly onAbandoned: AbandonedPolicy;
  /** How far the clocks of two workers may differ; always spent on waiting. */
  readonly skewMs: number;
  readonly maxAbandoned: number;
  readonly maxAttempts: number;
  readonly retryWindowMs: number;
  /** `Infinity` keeps outcomes for ever. */
  readonly retentionSeconds: number;
}

/** One worker's wish to run one effect. */
export interface ClaimRequest {
  readonly id: string;
  /** The token of this request, reused over its own retries: that is how it knows its own write again. */
  readonly claimId: string;
  readonly fingerprint?: string;
  /** Until when the claim is to be exclusive, in epoch milliseconds. */
  readonly leaseUntil: number;
}

/** Why a claim was parked; the `error.name` of a parked record. */
export type ParkedReason = 'abandoned' | 'abandoned-too-often' | 'outcome-unknown' | 'attempts-used-up' | 'retry-window-over';

export type Decision =
  /** Free to run, once `write` is applied. `fresh`: never granted before within its retention. */
  | { readonly decision: 'grant'; readonly fresh: boolean; readonly write: ClaimWrite }
  /** Free to run, once `write` is applied, with the policy's word on what the earlier attempt may have done. */
  | {
      readonly decision: 'take-over';
      readonly then: 'run' | 'reconcile';
      readonly write: ClaimWrite;
      readonly from: ClaimRecord;
    }
  /** Free to run: an earlier try of this very request was applied and its answer lost. */
  | { readonly decision: 'own'; readonly record: ClaimRecord }
  /** Not to run; to be parked by `write`. */
  | { readonly decision: 'park'; readonly reason: ParkedReason; readonly write: ClaimWrite }
  | { readonly decision: 'replay'; readonly record: ClaimRecord }
  | { readonly decision: 'in-flight'; readonly retryAfterMs: number; readonly record: ClaimRecord }
  | { readonly decision: 'parked'; readonly record: ClaimRecord }
  | { readonly decision: 'key-reused'; readonly record: ClaimRecord };

/**
 * The centre of pawl: what becomes of a request for a claim, given what the store holds. Pure: no clock, no chance, no
 * AWS. Every grant, takeover and parking comes with the one conditional write that makes it true; until that write is
 * acknowledged, nothing has been decided.
 *
 * @param found what the store holds for `request.id`, read strongly consistent; `undefined` when there is nothing
 * @param now epoch milliseconds by this worker's clock
 */
export function decide(
  found: ClaimRecord | undefined,
  request: ClaimRequest,
  rules: ClaimRules,
  now: number,
): Decision {
  if (found === undefined) return { decision: 'grant', fresh: true, write: firstGrant(request, rules, now) };
  if (isForgotten(found, rules, now)) {
    // The fence goes on from the old record: TTL has not collected it yet, and a fence may never restart under a reader.
    const next = { ...firstGrant(request, rules, now).next, fence: found.fence + 1 };
    return { decision: 'grant', fresh: true, write: { next, expect: { kind: 'unchanged', record: found } } };
  }
  if (differs(found.fingerprint, request.fingerprint)) return { decision: 'key-reused', record: found };

  switch (found.status) {
    case 'completed':
    case 'rejected':
      return { decision: 'replay', record: found };
    case 'parked':
      return { decision: 'parked', record: found };
    case 'released':
      return decideReleased(found, request, rules, now);
    case 'in-flight':
      return decideInFlight(found, request, rules, now);
  }
}

function decideReleased(found: ClaimRecord, request: ClaimRequest, rules: ClaimRules, now: number): Decision {
  if (found.attempts >= rules.maxAttempts) {
    return park(found, 'attempts-used-up', `${found.attempts} of ${rules.maxAttempts} attempts`, now);
  }
  if (now - found.firstSeenAt >= rules.retryWindowMs) {
    return park(found, 'retry-window-over', `first seen at ${new Date(found.firstSeenAt).toISOString()}`, now);
  }
  if (found.unknownAt !== undefined && rules.onAbandoned === 'park') {
    // Released under an earlier 'retry' policy; the author has since decided that doubt means stop.
    return park(found, 'outcome-unknown', 'an earlier attempt failed without saying what it had done', now);
  }
  const write: ClaimWrite = { next: grantAgain(found, request, rules, now), expect: { kind: 'unchanged', record: found } };
  if (found.unknownAt !== undefined && rules.onAbandoned === 'reconcile') {
    return { decision: 'take-over', then: 'reconcile', write, from: found };
  }
  return { decision: 'grant', fresh: false, write };
}

function decideInFlight(found: ClaimRecord, request: ClaimRequest, rules: ClaimRules, now: number): Decision {
  if (found.claimId === request.claimId) return { decision: 'own', record: found };
  const freeAt = found.leaseUntil + rules.skewMs;
  if (now < freeAt) return { decision: 'in-flight', retryAfterMs: freeAt - now, record: found };

  // From here the earlier attempt is abandoned: it may have applied the effect at any time until its lease ended.
  const abandoned = found.abandoned + 1;
  const doubtful: ClaimRecord = { ...found, abandoned, unknownAt: found.leaseUntil };
  if (abandoned >= rules.maxAbandoned) {
    return park(found, 'abandoned-too-often', `${abandoned} workers ended without an outcome`, now, doubtful);
  }
  if (rules.onAbandoned === 'park') {
    return park(found, 'abandoned', 'a worker ended without an outcome; the effect may have happened', now, doubtful);
  }
  return {
    decision: 'take-over',
    then: rules.onAbandoned === 'reconcile' ? 'reconcile' : 'run',
    write: { next: grantAgain(doubtful, request, rules, now), expect: { kind: 'unchanged', record: found } },
    from: found,
  };
}

/** Kept past its retention. Work that is still in doubt is never forgotten by the clock alone. */
function isForgotten(found: ClaimRecord, rules: ClaimRules, now: number): boolean {
  if (found.expiresAt === undefined || found.status === 'in-flight' || found.status === 'parked') return false;
  return now >= found.expiresAt * 1000 + rules.skewMs;
}

function differs(recorded: string | undefined, requested: string | undefined): boolean {
  return recorded !== undefined && requested !== undefined && recorded !== requested;
}

function firstGrant(request: ClaimRequest, rules: ClaimRules, now: number): ClaimWrite {
  const next: ClaimRecord = {
    id: request.id,
    status: 'in-flight',
    claimId: request.claimId,
    fence: 1,
    leaseUntil: request.leaseUntil,
    firstSeenAt: now,
    attempts: 1,
    abandoned: 0,
    ...(request.fingerprint !== undefined && { fingerprint: request.fingerprint }),
    ...expiry(rules.retentionSeconds, now),
    v: 1,
  };
  return { next, expect: { kind: 'absent' } };
}

function grantAgain(found: ClaimRecord, request: ClaimRequest, rules: ClaimRules, now: number): ClaimRecord {
  const { error: _, expiresAt: __, ...kept } = found;
  return {
    ...kept,
    status: 'in-flight',
    claimId: request.claimId,
    fence: found.fence + 1,
    leaseUntil: request.leaseUntil,
    attempts: found.attempts + 1,
    ...(found.fingerprint === undefined && request.fingerprint !== undefined && { fingerprint: request.fingerprint }),
    ...expiry(rules.retentionSeconds, now),
  };
}

function park(
  found: ClaimRecord,
  reason: ParkedReason,
  message: string,
  now: number,
  base: ClaimRecord = found,
): Decision {
  // The claim id stays: it lets the last holder, should it be alive after all, prove what happened.
  // The fence moves on: whatever that holder wrote elsewhere under its fence is old from now on.
  const next = { ...parkedRecord(base, { name: reason, message }, now), fence: found.fence + 1 };
  return { decision: 'park', reason, write: { next, expect: { kind: 'unchanged', record: found } } };
}

/** A parked record has no expiry: what is in doubt must not be forgotten before somebody has decided. */
export function parkedRecord(record: ClaimRecord, error: RecordedError, now: number): ClaimRecord {
  const { expiresAt: _, ...kept } = record;
  return { ...kept, status: 'parked', unknownAt: record.unknownAt ?? now, error };
}

/** `expiresAt`, in epoch seconds, rounded up so that nothing is forgotten early. */
export function expiry(retentionSeconds: number, now: number): { expiresAt?: number } {
  return retentionSeconds === Infinity ? {} : { expiresAt: Math.ceil(now / 1000) + retentionSeconds };
}
