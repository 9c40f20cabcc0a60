import type { ClaimRecord } from './record.ts';
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
  readonly retryWindowSeconds: number;
  /** `Infinity` keeps outcomes for ever. */
  readonly retentionSeconds: number;
}

/** One worker's wish to run one effect. */
export interface ClaimRequest {
  readonly id: string;
  /** The token of this request, reused over its own retries: that is how it knows its own write again. */
  readonly claimId: string;
  readonly fingerprint?: string | undefined;
  /** Until when the claim is to be exclusive, in epoch milliseconds. */
  readonly leaseUntil: number;
}

/** Why a claim was parked; the `error.name` of a parked record. */
export type ParkedReason =
  | 'abandoned'
  | 'abandoned-too-often'
  | 'outcome-unknown'
  | 'attempts-used-up'
  | 'retry-window-over';

/**
 * What becomes of a request. `record` is the claim as it will stand. With a `write`, nothing has been decided until that
 * is applied.
 */
export type Decision = { readonly record: ClaimRecord; readonly write?: ClaimWrite } & (
  | { readonly decision: 'granted' | 'parked' | 'replayed' | 'key-reused' }
  /** Granted after an attempt in doubt. `reconcile`: the policy asks the provider before anything runs. */
  | { readonly decision: 'taken-over'; readonly reconcile: boolean }
  | { readonly decision: 'in-flight'; readonly retryAfterMs: number }
);

/**
 * The centre of pawl: what becomes of a request for a claim, given what the store holds. Pure: no clock, no chance, no
 * AWS. Every grant, takeover and parking comes with the one conditional write that makes it true.
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
  // What is forgotten goes on with its fence: TTL has not collected it yet, and a fence may never restart under a reader.
  if (found === undefined || isForgotten(found, rules, now)) {
    const unused = {
      id: request.id,
      fence: found?.fence ?? 0,
      firstSeenAt: now,
      attempts: 0,
      abandoned: 0,
      v: 1,
    } as const;
    return writing({ decision: 'granted', record: grant(unused, request, rules, now) }, found);
  }
  if (differs(found.fingerprint, request.fingerprint)) return { decision: 'key-reused', record: found };

  switch (found.status) {
    case 'in-flight':
      return decideInFlight(found, request, rules, now);
    case 'released':
      return decideReleased(found, request, rules, now);
    case 'parked':
      return { decision: 'parked', record: found };
    default:
      return { decision: 'replayed', record: found };
  }
}

function decideReleased(found: ClaimRecord, request: ClaimRequest, rules: ClaimRules, now: number): Decision {
  if (found.attempts >= rules.maxAttempts) return park(found, 'attempts-used-up', now);
  if (now - found.firstSeenAt >= rules.retryWindowSeconds * 1000) return park(found, 'retry-window-over', now);
  const inDoubt = found.unknownAt !== undefined;
  // Released under an earlier 'retry' policy; the author has since decided that doubt means stop.
  if (inDoubt && rules.onAbandoned === 'park') return park(found, 'outcome-unknown', now);
  const record = grant(found, request, rules, now);
  const asks = inDoubt && rules.onAbandoned === 'reconcile';
  return writing(asks ? { decision: 'taken-over', reconcile: true, record } : { decision: 'granted', record }, found);
}

function decideInFlight(found: ClaimRecord, request: ClaimRequest, rules: ClaimRules, now: number): Decision {
  // Our own write, whose answer was lost.
  if (found.claimId === request.claimId) return { decision: 'granted', record: found };
  const retryAfterMs = found.leaseUntil + rules.skewMs - now;
  if (retryAfterMs > 0) return { decision: 'in-flight', retryAfterMs, record: found };

  // From here the earlier attempt is abandoned: it may have applied the effect at any time until its lease ended.
  const abandoned = found.abandoned + 1;
  const inDoubt: ClaimRecord = { ...found, abandoned, unknownAt: found.leaseUntil };
  if (abandoned >= rules.maxAbandoned) return park(found, 'abandoned-too-often', now, inDoubt);
  if (rules.onAbandoned === 'park') return park(found, 'abandoned', now, inDoubt);
  const record = grant(inDoubt, request, rules, now);
  return writing({ decision: 'taken-over', reconcile: rules.onAbandoned === 'reconcile', record }, found);
}

function writing(decision: Decision, seen: ClaimRecord | undefined): Decision {
  return { ...decision, write: { next: decision.record, seen } };
}

/** Kept past its retention. Work that is still in doubt is never forgotten by the clock alone. */
function isForgotten({ status, expiresAt = Infinity }: ClaimRecord, rules: ClaimRules, now: number): boolean {
  return status !== 'in-flight' && status !== 'parked' && now >= expiresAt * 1000 + rules.skewMs;
}

function differs(recorded: string | undefined, requested: string | undefined): boolean {
  return recorded !== undefined && requested !== undefined && recorded !== requested;
}

type Grantable = Omit<ClaimRecord, 'status' | 'claimId' | 'leaseUntil'>;

function grant(from: Grantable, request: ClaimRequest, rules: ClaimRules, now: number): ClaimRecord {
  return {
    ...from,
    status: 'in-flight',
    claimId: request.claimId,
    fence: from.fence + 1,
    leaseUntil: request.leaseUntil,
    attempts: from.attempts + 1,
    fingerprint: from.fingerprint ?? request.fingerprint,
    error: undefined,
    expiresAt: expiry(rules, now),
  };
}

const explanations: Record<ParkedReason, string> = {
  abandoned: 'a worker ended without an outcome, and the effect may have happened',
  'abandoned-too-often': 'too many workers ended without an outcome',
  'outcome-unknown': 'an attempt failed without saying whether its effect had happened',
  'attempts-used-up': 'every attempt failed',
  'retry-window-over': 'it was first seen too long ago to be tried again',
};

function park(found: ClaimRecord, reason: ParkedReason, now: number, from: ClaimRecord = found): Decision {
  // The claim id stays: it lets the last holder, should it be alive after all, prove what happened.
  // The fence moves on: whatever that holder wrote elsewhere under its fence is old from now on.
  const record = { ...parked(from, reason, now), fence: found.fence + 1 };
  return writing({ decision: 'parked', record }, found);
}

/** A parked record has no expiry: what is in doubt must not be forgotten before somebody has decided. */
export function parked(from: ClaimRecord, name: ParkedReason, now: number, message = explanations[name]): ClaimRecord {
  return {
    ...from,
    status: 'parked',
    unknownAt: from.unknownAt ?? now,
    error: { name, message },
    expiresAt: undefined,
  };
}

/** `expiresAt`, in epoch seconds, rounded up so that nothing is forgotten early. */
export function expiry({ retentionSeconds }: Pick<ClaimRules, 'retentionSeconds'>, now: number): number | undefined {
  return retentionSeconds === Infinity ? undefined : Math.ceil(now / 1000) + retentionSeconds;
}
