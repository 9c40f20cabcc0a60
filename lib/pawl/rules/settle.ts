import type { Transition } from '../kernel/record.ts';
import { lineOf, type RecordedError } from '../kernel/recorded-error.ts';
import { resolvedCheckpoints } from './checkpoints.ts';
import { type ClaimRules, expiry, parked } from './decide.ts';
import type { Outcome } from './outcome.ts';
import type { ClaimRecord } from './record.ts';
import { successor } from './successor.ts';

type ClaimTransition = Transition<ClaimRecord>;

/** How far a handler had come with its effect when it threw. `unmarked`: it does not say. */
export type Phase = 'unmarked' | 'before' | 'during' | 'after';

/** What is known of an effect by the error that its handler threw. */
export type KnownOfEffect = 'retryable' | 'rejected' | 'in-doubt' | 'unknown';

/** The outcome of an attempt whose handler threw. Pure, like `decide`. */
export function outcomeOfError(
  error: RecordedError,
  known: KnownOfEffect,
  phase: Phase,
  { onAbandoned, atomic = false }: Pick<ClaimRules, 'onAbandoned' | 'atomic'>,
): Outcome {
  if (phase === 'after') return { status: 'completed', resultOmitted: 'not-returned' };
  if (known === 'rejected') return { status: 'rejected', error };
  // The claim is still there to be released, so what is one transaction with its completion was not applied.
  const unknown = known !== 'retryable' && phase !== 'before' && !atomic;
  const parks = known === 'in-doubt' || (unknown && onAbandoned === 'park');
  return parks ? { status: 'parked', error } : { status: 'released', error, unknown };
}

/**
 * How the owner of a claim records an outcome, given what the store holds now. Pure, like `decide`.
 *
 * @param claimId the token of the owner's grant
 * @example
 * const found = await store.read(record.id);
 * const outcome = { status: 'completed', result: '{"id":"re_1"}' } as const;
 * const next = settle(record.claimId, found, outcome, { retentionSeconds: 30 * 24 * 3600 }, Date.now());
 * if (next === 'stale') console.warn('another worker has the claim by now');
 */
export function settle(
  claimId: string,
  found: ClaimRecord | undefined,
  outcome: Outcome,
  rules: Pick<ClaimRules, 'retentionSeconds'>,
  now: number,
): ClaimTransition {
  // A record that is gone was deleted behind our back. Writing it anew would grant ourselves a claim that the store did not give us.
  if (found?.claimId !== claimId) return 'stale';
  if (found.status === outcome.status) return 'applied';
  const settled = {
    unknownAt: undefined,
    forgottenUntil: undefined,
    unstarted: undefined,
    error: undefined,
    expiresAt: expiry(rules, now),
  };
  // Its steps are never asked for again, and an item has to hold the result: together they could be more than DynamoDB takes.
  const completed = { ...settled, checkpoints: undefined };
  if (found.status !== 'in-flight') {
    // The late proof of the last holder: it was thought dead, its claim parked and perhaps opened again by an operator,
    // but not granted again since. To ignore the proof would double the effect.
    if (outcome.status !== 'completed' || found.status === 'rejected') return 'stale';
    const at = new Date(now).toISOString();
    const resolution = { verdict: 'applied', by: 'last holder', note: '', at } as const;
    return successor(found, { ...found, ...completed, ...outcome, resolution });
  }
  switch (outcome.status) {
    case 'completed':
      return successor(found, { ...found, ...completed, ...outcome });
    case 'rejected':
      return successor(found, { ...found, ...settled, ...outcome });
    case 'released': {
      const kept = outcome.doubtEnded ? undefined : found.unknownAt;
      const unknownAt = outcome.unknown ? now : kept;
      const checkpoints = resolvedCheckpoints(found, outcome.steps ?? new Map(), now);
      // Released, not deleted: a deleted record restarts the fence at 1, and a stalled worker still holding 1 could
      // complete a lease that it no longer owns.
      return successor(found, {
        ...found,
        ...settled,
        status: 'released',
        error: outcome.error,
        unknownAt,
        // What is said of some steps leaves the other parts as they are.
        forgottenUntil: outcome.doubtEnded && outcome.steps === undefined ? undefined : found.forgottenUntil,
        checkpoints,
        abandoned: found.abandoned + (outcome.inconclusive ? 1 : 0),
        // What never began must not use up the attempts of what can. It is counted by itself, or its message would come for ever.
        ...(outcome.unstarted && { attempts: found.attempts - 1, unstarted: (found.unstarted ?? 0) + 1 }),
      });
    }
    case 'parked':
      return successor(found, {
        ...parked(found, 'outcome-unknown', lineOf(outcome.error)),
        unstarted: undefined,
        unknownAt: now,
      });
  }
}

/**
 * What the last owner of a released claim makes of it when its message is set aside: a copy that comes later must not run after those that
 * came behind it.
 */
export function setAside(claimId: string, found: ClaimRecord | undefined, error: RecordedError): ClaimTransition {
  if (found?.claimId !== claimId) return 'stale';
  if (found.status === 'parked') return 'applied';
  if (found.status !== 'released') return 'stale';
  return successor(found, parked(found, 'set-aside', lineOf(error)));
}

/**
 * Extends a lease, and never shortens it. Its record is kept for the whole retention after that.
 *
 * @example
 * const found = await store.read(record.id);
 * const next = renew(record.claimId, found, Date.now() + 10_000, { retentionSeconds: 30 * 24 * 3600 });
 * if (next !== 'applied' && next !== 'stale') await store.write({ next, seen: found });
 */
export function renew(
  claimId: string,
  found: ClaimRecord | undefined,
  leaseUntil: number,
  rules: Pick<ClaimRules, 'retentionSeconds'>,
): ClaimTransition {
  if (found?.claimId !== claimId || found.status !== 'in-flight') return 'stale';
  if (found.leaseUntil >= leaseUntil) return 'applied';
  return successor(found, { ...found, leaseUntil, expiresAt: expiry(rules, leaseUntil) });
}
