import { type ClaimRequest, type ClaimRules, decide, doubtOf, doubtOfAbandoned } from './decide.ts';
import { unsettledFor } from './doubt.ts';
import { withObserved } from './observed.ts';
import type { ClaimRecord } from './record.ts';
import type { ClaimWrite } from './store.ts';

/**
 * Whether a claim that no message or caller comes for may be settled without them.
 *
 * Owns: what is left alone. Does not own: how a claim is granted or parked, which is `decide`; nor what a verdict means, which is `afterVerdict`.
 *
 * 1. Only a claim in doubt is granted: never a key that the store does not hold, and never one that has only failed.
 * 2. It is granted anew before its provider is asked. So the fence moves on, and the late writes of the earlier worker are refused.
 * 3. The earlier worker's lease is over by then, as for every takeover.
 */

/** Why a claim is left alone. `settled`: nothing of it is in doubt. `held`: a worker's lease runs. `too-early`: "not applied" would not be believed. */
export type LeftAlone = 'settled' | 'held' | 'parked' | 'too-early';

/** What a repair of a claim begins with. Nothing is decided until `write` is applied; without one, it was before. */
export type Repair =
  | {
      readonly kind: 'ask' | 'park';
      readonly record: ClaimRecord;
      readonly write: ClaimWrite | undefined;
      readonly takesOver: boolean;
    }
  | { readonly kind: 'leave'; readonly why: LeftAlone };

export interface RepairRules extends ClaimRules {
  readonly settleMs: number;
  /** How long after an inconclusive verdict the provider is asked again, in milliseconds. Each further one doubles it. */
  readonly askAgainMs: number;
}

/** Decides how the repair of a claim begins. Pure, like `decide`. @param now epoch milliseconds */
export function repair(
  found: ClaimRecord | undefined,
  request: Pick<ClaimRequest, 'claimId' | 'leaseUntil'>,
  rules: RepairRules,
  now: number,
): Repair {
  const leave = (why: LeftAlone): Repair => ({ kind: 'leave', why });
  if (found === undefined) return leave('settled');
  const seen = withObserved(found);
  const doubted = doubtOf(seen);
  const { status, unknownAt, abandoned, leaseUntil } = doubted;
  if (status === 'parked') return leave('parked');
  const isOurs = status === 'in-flight' && doubted.claimId === request.claimId;
  if (status !== 'in-flight' && (status !== 'released' || unknownAt === undefined)) return leave('settled');
  if (status === 'in-flight' && !isOurs && doubtOfAbandoned(seen) === undefined) return leave('settled');
  const decided = decide(doubted, { id: found.id, ...request }, rules, now);
  const write = decided.kind !== 'in-flight' && 'write' in decided ? decided.write : undefined;
  switch (decided.kind) {
    case 'in-flight':
      return leave('held');
    case 'parked':
      return { kind: 'park', record: decided.record, write: write && { ...write, seen: found }, takesOver: false };
    case 'granted':
    case 'taken-over': {
      if (!isOurs && isTooEarly()) return leave('too-early');
      // What is in doubt of a claim stays what it was: a step alone, or all of it.
      const record = status === 'released' ? { ...decided.record, unknownAt: seen.unknownAt } : decided.record;
      const takesOver = decided.kind === 'taken-over';
      return { kind: 'ask', record, write: write && { next: record, seen: found }, takesOver };
    }
    default:
      return leave('settled');
  }

  function isTooEarly(): boolean {
    if (status === 'in-flight') return unsettledFor({ unknownAt: doubtOfAbandoned(seen) }, rules, now) > 0;
    const pauseMs = abandoned === 0 ? 0 : rules.askAgainMs * 2 ** (abandoned - 1);
    // By the lease of the last question: a pause, and no more. A clock that is off makes it longer or shorter.
    return unsettledFor(doubted, rules, now) > 0 || (abandoned > 0 && now < leaseUntil + pauseMs);
  }
}
