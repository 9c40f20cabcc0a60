import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';

/** Who wrote, and when by their own clock. */
export interface WriteFacts {
  /** Claim ids begin with the name of the sandbox that made them. */
  readonly writer: string;
  readonly now: number;
  readonly skewMs: number;
  readonly clocksAreRight: boolean;
  /** How often the effect of a record was applied. */
  readonly effects: (id: string) => number;
}

export interface TransitionProblem {
  readonly invariant: number;
  readonly text: string;
}

/**
 * What is wrong with a write that was applied: the protocol's rules for one record, from outside of `decide` and `settle`.
 * Only who wrote what over what counts, not how they came to it.
 */
export function transitionProblems(
  from: ClaimRecord | undefined,
  to: ClaimRecord,
  { writer, now, skewMs, clocksAreRight, effects }: WriteFacts,
): TransitionProblem[] {
  const problems: TransitionProblem[] = [];
  const demand = (ok: boolean, invariant: number, text: string) => {
    if (!ok) problems.push({ invariant, text });
  };
  const isOf = (claimId: string) => claimId.startsWith(`${writer}.`);
  const isOperator = writer === 'operator';

  if (to.status === 'completed') demand(effects(to.id) > 0, 2, 'completed without an effect');
  if (from === undefined) {
    demand(to.status === 'in-flight' && to.fence === 1 && to.attempts === 1, 4, 'a first claim is not a first grant');
    demand(isOf(to.claimId), 4, "a first claim under somebody else's claim id");
    return problems;
  }
  const holder = isOf(from.claimId);
  const isOver = !clocksAreRight || now >= from.leaseUntil + skewMs;
  demand(to.fence >= from.fence, 4, 'the fence went back');
  // An operator's decision starts everything anew, by the operator's clock.
  demand(to.firstSeenAt === from.firstSeenAt || isOperator, 4, 'the record lost its beginning');
  if (to.status === 'in-flight' && to.claimId !== from.claimId) {
    demand(to.fence === from.fence + 1, 4, 'a grant has no fence of its own');
    demand(isOf(to.claimId), 4, "a grant under somebody else's claim id");
    demand(from.fingerprint === to.fingerprint, 9, 'a grant changed the fingerprint');
  }
  if (from.unknownAt !== undefined && (to.status === 'in-flight' || to.status === 'released')) {
    demand(to.unknownAt !== undefined || isOperator, 1, 'the doubt about an earlier attempt was forgotten');
  }

  switch (from.status) {
    case 'completed':
      demand(false, 5, 'a completed claim was changed');
      break;
    case 'rejected':
      demand(false, 5, 'a rejected claim was changed');
      break;
    case 'parked':
      demand(to.resolution !== undefined, 11, 'a parked claim was changed, and nothing says why');
      demand(isOperator || (holder && to.status === 'completed'), 11, 'a parked claim was changed by nobody entitled');
      break;
    case 'released':
      if (to.status === 'completed') demand(holder && to.resolution !== undefined, 4, 'a late proof by a stranger');
      else demand(to.status === 'in-flight' || to.status === 'parked', 4, 'a released claim became something odd');
      break;
    default:
      if (to.status === 'in-flight' && to.claimId === from.claimId) {
        demand(holder && to.fence === from.fence, 4, 'a claim was renewed by a stranger');
        demand(to.leaseUntil >= from.leaseUntil, 4, 'a lease was shortened');
      } else if (to.status === 'in-flight') {
        demand(isOver, 4, 'a running lease was taken over');
        demand(to.abandoned === from.abandoned + 1, 4, 'an abandoned attempt was not counted');
        demand(to.unknownAt !== undefined && to.unknownAt >= from.leaseUntil, 1, 'a takeover left no doubt');
      } else if (to.status === 'parked') {
        demand(holder || (isOver && to.fence === from.fence + 1), 4, 'a running claim was parked by a stranger');
      } else {
        demand(holder, 4, `somebody else's claim became ${to.status}`);
      }
  }
  return problems;
}
