import { withoutMessages } from './observed.ts';
import type { ClaimRecord, Forgotten } from './record.ts';
import { successor } from './successor.ts';

/**
 * What is left of a claim whose data is erased: what keeps its effect from happening again, and who erased it. Pure.
 *
 * 1. Only a claim that is decided is forgotten: completed, or rejected. What is open may still run, and needs what it has.
 * 2. Status, fence and claim id stay. So the effect does not repeat, and a late write of an earlier worker is still refused.
 * 3. The fingerprint stays. Without it, another payload under the key would be taken for done, and its message acknowledged.
 * 4. The revision moves on as with every write.
 */

/** Why a claim is not forgotten. `not-decided`: it is released or parked, and may still run. */
export type NotForgotten = 'unknown-key' | 'in-flight' | 'not-decided' | 'changed';

export type ForgetDecision =
  | { readonly kind: 'write'; readonly seen: ClaimRecord; readonly next: ClaimRecord }
  /** Our own write, whose response was lost. */
  | { readonly kind: 'done'; readonly record: ClaimRecord }
  | { readonly kind: 'refused'; readonly why: NotForgotten };

/** Why a claim with this status is not forgotten; nothing if it may be. */
export function forgetRefusal(found: Pick<ClaimRecord, 'status'> | undefined): NotForgotten | undefined {
  if (found === undefined) return 'unknown-key';
  if (found.status === 'in-flight') return 'in-flight';
  return found.status === 'completed' || found.status === 'rejected' ? undefined : 'not-decided';
}

/** @param revision of the record that the operator has seen. */
export function forget(
  found: ClaimRecord | undefined,
  forgotten: Forgotten,
  revision: number | undefined,
): ForgetDecision {
  if (found === undefined) return { kind: 'refused', why: 'unknown-key' };
  if (found.forgotten?.id === forgotten.id) return { kind: 'done', record: found };
  if (found.rev !== revision) return { kind: 'refused', why: 'changed' };
  const why = forgetRefusal(found);
  if (why !== undefined) return { kind: 'refused', why };
  const next = successor(found, {
    ...found,
    result: undefined,
    // A duplicate is replayed without a result, as one whose author keeps none.
    resultOmitted: found.status === 'completed' ? 'by-choice' : undefined,
    error: undefined,
    attributes: undefined,
    checkpoints: undefined,
    source: undefined,
    observed: withoutMessages(found.observed),
    // What operators wrote may name a person.
    resolution: undefined,
    discarded: undefined,
    forgotten,
  });
  return { kind: 'write', seen: found, next };
}
