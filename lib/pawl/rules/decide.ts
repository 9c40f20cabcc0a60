import { otherRule, sameIntent } from '../payload/fingerprint-rule.ts';
import { stepsInDoubt } from './checkpoints.ts';
import { heldForMs } from './lease.ts';
import { isAmbiguous, withObserved } from './observed.ts';
import { statementDue } from './open.ts';
import { type Attributes, appliesWithCompletion, type ClaimRecord, type Draft } from './record.ts';
import type { ClaimWrite } from './store.ts';
import { successor } from './successor.ts';

/** The policies of an effect in doubt: run it again; leave it to an operator; ask its provider. */
export const abandonedPolicies = ['retry', 'park', 'reconcile'] as const;

/** What happens to a claim that was abandoned, as far as the decision needs to know. */
export type AbandonedPolicy = (typeof abandonedPolicies)[number];

/**
 * The rules a claim is decided by. They come from the consumer's options, and are the same for all its keys.
 *
 * @example
 * const rules: ClaimRules = {
 *   onAbandoned: 'park',
 *   skewMs: 1000,
 *   maxAbandoned: 3,
 *   maxAttempts: 20,
 *   retryWindowSeconds: 14 * 24 * 3600,
 *   retentionSeconds: 30 * 24 * 3600,
 * };
 */
export interface ClaimRules {
  /** What becomes of a claim whose worker ended without an outcome. */
  readonly onAbandoned: AbandonedPolicy;
  /** How far the clocks of two workers may differ; always spent on waiting. */
  readonly skewMs: number;
  /** How many workers may end without an outcome before the claim is parked. */
  readonly maxAbandoned: number;
  /** After how many grants a key that keeps failing, or never gets to start, is parked. */
  readonly maxAttempts: number;
  /** How long after it was first seen a key that is not done may still be tried, in seconds. */
  readonly retryWindowSeconds: number;
  /**
   * Whether a key whose attempts all said that nothing was applied may be tried again without end. A client that is refused decides for
   * itself when to stop; a message would come back for ever.
   */
  readonly refusalsMayRepeat?: boolean;
  /** Whether what an attempt applies is in one transaction with its completion: an attempt that was abandoned has applied nothing. */
  readonly atomic?: boolean;
  /** Whether the handler is given no claim, and so calls no step: a step in doubt is then a doubt about the whole claim. */
  readonly stepless?: boolean;
  /** Whether a claim is listed for operators while it is in flight: no message would bring it back. Never decided upon. */
  readonly watched?: boolean;
  /** Whether completed claims wait for a statement of the provider to confirm them. Never decided upon. */
  readonly statements?: boolean;
  /** `Infinity` keeps outcomes for ever. */
  readonly retentionSeconds: number;
}

/**
 * One worker's wish to run one effect.
 *
 * @example
 * const request: ClaimRequest = { id: 'refund#payment-17', claimId: crypto.randomUUID(), leaseUntil: Date.now() + 60_000 };
 */
export interface ClaimRequest {
  /** The id of the record: `operation#key`. */
  readonly id: string;
  /** The token of this request, reused over its own retries: by it, the worker recognises its own write. */
  readonly claimId: string;
  /** The fingerprint of the request's intent. Without one, nothing is compared. */
  readonly fingerprint?: string | undefined;
  /** The fingerprint by the rule that was in force before, while that is still accepted. */
  readonly previousFingerprint?: string | undefined;
  /** What the author keeps beside the key. Set with the first grant, and never decided upon. */
  readonly attributes?: Attributes | undefined;
  /** SQS's id of the message that the request is for. Absent where the record does not keep it. */
  readonly source?: string | undefined;
  /** Until when the claim is to be exclusive, in epoch milliseconds. */
  readonly leaseUntil: number;
}

/** Why a claim was parked; the `error.name` of a parked record. */
export type ParkedReason =
  /** A worker ended without an outcome, and the effect may have happened. */
  | 'abandoned'
  /** So many did, one after the other, that the message is thought to kill them. */
  | 'abandoned-too-often'
  /** An attempt failed, or a provider was asked, without saying whether the effect had happened. */
  | 'outcome-unknown'
  /** Every attempt failed. */
  | 'attempts-used-up'
  /** As many grants, one after the other, were given back before anything began: each time, too little time was left. Nothing was applied by them. */
  | 'never-started'
  /** It was first seen too long ago to be tried again. */
  | 'retry-window-over'
  /** Its message kept failing at the head of its message group, and was set aside so that the group could go on. */
  | 'set-aside';

/** `record` is the claim as it will stand. With a `write`, nothing has been decided until that is applied. */
interface Decided {
  readonly record: ClaimRecord;
  readonly write?: ClaimWrite;
}

/** What becomes of a request. */
export type Decision =
  | (Decided & { readonly kind: 'granted' })
  /** Granted, from a worker that ended without an outcome. */
  | (Decided & { readonly kind: 'taken-over' })
  | (Decided & { readonly kind: 'parked' })
  | (Decided & { readonly kind: 'replayed' })
  /** Recorded with another intent. `ruleChanged`: by another rule, so it may be the same one. */
  | (Decided & { readonly kind: 'key-reused'; readonly ruleChanged: boolean })
  | (Decided & { readonly kind: 'in-flight'; readonly retryAfterMs: number });

/**
 * The centre of pawl: what becomes of a request for a claim, given what the store holds. Pure: no clock, no chance, no
 * AWS. Every grant, takeover and parking comes with the one conditional write that makes it true.
 *
 * @param stored what the store holds for `request.id`, read strongly consistent; `undefined` when there is nothing
 * @param now epoch milliseconds by this worker's clock
 * @example
 * declare const rules: ClaimRules;
 * const request = { id: 'refund#payment-17', claimId: crypto.randomUUID(), leaseUntil: Date.now() + 60_000 };
 * const decision = decide(await store.read(request.id), request, rules, Date.now());
 * if (decision.write) await store.write(decision.write);
 */
export function decide(
  stored: ClaimRecord | undefined,
  request: ClaimRequest,
  rules: ClaimRules,
  now: number,
): Decision {
  const found = stored && withObserved(stored);
  if (found === undefined || isForgotten(found, rules, now)) {
    // What is forgotten goes on with its fence: TTL has not collected it yet, and a fence may never restart under a reader.
    const fence = found?.fence ?? 0;
    const { restoredAt } = found ?? {};
    return grant('granted', { id: request.id, fence, firstSeenAt: now, attempts: 0, abandoned: 0, restoredAt });
  }
  // Nobody knows which of its intents was done.
  if (isAmbiguous(found)) return { kind: 'key-reused', ruleChanged: false, record: found };
  const doubted = rules.stepless === true ? doubtOf(found) : found;
  const { status, claimId, unknownAt, fingerprint } = doubted;
  if (fingerprint && request.fingerprint) {
    const { fingerprint: asked, previousFingerprint } = request;
    if (!sameIntent(fingerprint, asked) && !sameIntent(fingerprint, previousFingerprint)) {
      return { kind: 'key-reused', ruleChanged: otherRule(fingerprint, asked), record: found };
    }
  }
  if (status === 'completed' || status === 'rejected') return ended('replayed');
  if (status === 'parked') return ended('parked');

  const parks = rules.onAbandoned === 'park';
  const isTooLate = now - found.firstSeenAt >= rules.retryWindowSeconds * 1000;
  if (status === 'released') {
    if (unknownAt !== undefined || !rules.refusalsMayRepeat) {
      if (found.attempts >= rules.maxAttempts) return park('attempts-used-up');
      if ((found.unstarted ?? 0) >= rules.maxAttempts) return park('never-started');
      if (isTooLate) return park('retry-window-over');
    }
    // Released under an earlier 'retry' policy; the author has since decided that doubt means stop.
    if (parks && unknownAt !== undefined) return park('outcome-unknown');
    return grant('granted', doubted);
  }

  // Our own write, whose answer was lost. The doubt it was granted with is still on it.
  if (claimId === request.claimId) return { kind: 'granted', record: found };
  const retryAfterMs = heldForMs(found, rules.skewMs, now);
  if (retryAfterMs > 0) return { kind: 'in-flight', retryAfterMs, record: found };

  // From here the earlier attempt is abandoned. Unless nothing of it is in doubt, it may have applied the effect at any time until its lease ended.
  const abandoned = { ...found, abandoned: found.abandoned + 1, unknownAt: doubtOfAbandoned(found) };
  if (abandoned.abandoned >= rules.maxAbandoned) return park('abandoned-too-often', abandoned);
  if (abandoned.unknownAt !== undefined) {
    if (parks) return park('abandoned', abandoned);
    // A provider may have forgotten the effect key by now.
    if (isTooLate) return park('retry-window-over', abandoned);
  }
  return grant('taken-over', abandoned);

  function ended(kind: 'replayed' | 'parked'): Decision {
    return { kind, record: found as ClaimRecord };
  }

  function grant(kind: 'granted' | 'taken-over', from: Grantable): Decision {
    const draft: Draft = {
      ...from,
      status: 'in-flight',
      claimId: request.claimId,
      fence: from.fence + 1,
      leaseUntil: request.leaseUntil,
      attempts: from.attempts + 1,
      // They mean the same; the one by today's rule outlasts the time for which yesterday's is accepted.
      fingerprint: request.fingerprint ?? from.fingerprint,
      attributes: from.attributes ?? request.attributes,
      source: request.source,
      atomic: rules.atomic === true ? from.fence + 1 : undefined,
      statement: from.statement ?? (rules.statements === true ? statementDue : undefined),
      observed: undefined,
      error: undefined,
      // From the end of the lease: TTL must not collect a claim in flight, or the next request would find nothing, and run.
      expiresAt: expiry(rules, Math.max(now, request.leaseUntil)),
    };
    const record = successor(found, draft, rules.watched === true);
    return { kind, record, write: { next: record, seen: stored } };
  }

  function park(reason: ParkedReason, from = doubted): Decision {
    // The claim id stays: it lets the last holder, should it be alive after all, prove what happened.
    // The fence moves on: whatever that holder wrote elsewhere under its fence is old from now on.
    const record = successor(found, { ...parked(from, reason), fence: from.fence + 1 });
    return { kind: 'parked', record, write: { next: record, seen: stored } };
  }
}

/**
 * Until when a claim that its worker abandoned may have had its effect, in epoch milliseconds; nothing where nothing is in doubt. What an attempt applies
 * together with its completion has not been applied: the claim would be complete. A doubt that is older stays, and so does one that is later: a run that was
 * observed beside the claim may have failed after its lease.
 */
export function doubtOfAbandoned(found: ClaimRecord): number | undefined {
  return appliesWithCompletion(found) ? found.unknownAt : Math.max(found.leaseUntil, found.unknownAt ?? 0);
}

/** A released claim with a step in doubt has no doubt of its own: its consumer asks the step's provider. Without its consumer, the claim is in doubt. */
export function doubtOf(found: ClaimRecord): ClaimRecord {
  if (found.status !== 'released' || found.unknownAt !== undefined) return found;
  const steps = stepsInDoubt(found);
  return steps.length === 0 ? found : { ...found, unknownAt: Math.max(...steps.map(({ at }) => at)) };
}

type Grantable = Omit<Draft, 'status' | 'claimId' | 'leaseUntil'>;

/** Kept past its retention. Work that is still in doubt is never forgotten by the clock alone. */
export function isForgotten(found: ClaimRecord, { skewMs }: Pick<ClaimRules, 'skewMs'>, now: number): boolean {
  const { status, unknownAt, expiresAt = Infinity } = found;
  return status !== 'in-flight' && !unknownAt && now >= expiresAt * 1000 + skewMs;
}

/** A parked record has no expiry: what is in doubt must not be forgotten before an operator has decided. */
export function parked(from: ClaimRecord, name: ParkedReason, message = ''): Draft {
  return {
    ...from,
    status: 'parked',
    observed: undefined,
    error: { name, message },
    expiresAt: undefined,
  };
}

/** `expiresAt`, in epoch seconds, rounded up so that nothing is forgotten early. */
export function expiry({ retentionSeconds }: Pick<ClaimRules, 'retentionSeconds'>, now: number): number | undefined {
  return retentionSeconds === Infinity ? undefined : Math.ceil(now / 1000) + retentionSeconds;
}
