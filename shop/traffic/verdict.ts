import { claimId } from '../app/claim-id.ts';
import type { EffectKind, Ledger } from '../providers/ledger.ts';

/** What became of one kind of effect, over all orders. */
export interface EffectVerdict {
  readonly effect: EffectKind;
  readonly orders: number;
  /** Orders whose effect happened, once or more often. */
  readonly done: number;
  /** Orders whose effect happened more than once. */
  readonly doubled: readonly string[];
  /** The same, if the policy is not made for such a provider. */
  readonly repeated: readonly string[];
  /** Orders that wait for a decision, and whose effect has not happened. */
  readonly parked: readonly string[];
  /** How many wait for a decision, and their effect did happen: the provider knows that. They are done. */
  readonly parkedAndDone: number;
  /** Orders whose effect did not happen, and whose message waits in the dead-letter queue for another reason. */
  readonly setAside: readonly string[];
  /** Those of them for which the provider was never called: their handler did not run. This is a failure. */
  readonly neverRun: readonly string[];
  /** Likewise, and the machine had not given a function its time for them: nobody can say whether the app, or the machine, has used their receives up. */
  readonly unjudged: readonly string[];
  /** Orders whose effect has not happened, while messages are still on their queues: whether they are lost is not known. */
  readonly unfinished: readonly string[];
  /** Orders whose effect did not happen, and whose messages are gone. */
  readonly lost: readonly string[];
}

/** Where an order may wait for the operator. */
export interface Waiting {
  /** The ids of the claims that are parked. */
  readonly parkedClaims: ReadonlySet<string>;
  /** The orders of which a message is in the dead-letter queue. */
  readonly deadLettered: ReadonlySet<string>;
  /** How many messages are still on their queues. */
  readonly left: number;
  /** The orders for which the machine did not give a function its time. @default none */
  readonly starved?: ReadonlySet<string>;
}

/** Whether nothing was lost, nothing doubled, and nothing set aside without having been tried. */
export function isClean({ lost, doubled, neverRun }: EffectVerdict): boolean {
  return lost.length === 0 && doubled.length === 0 && neverRun.length === 0;
}

/** Compares what the providers did with what was ordered, and with what waits for the operator. */
export function judge(
  effect: EffectKind,
  orderIds: readonly string[],
  ledger: Ledger,
  { parkedClaims, deadLettered, left, starved = new Set() }: Waiting,
  mayRepeat = false,
): EffectVerdict {
  const counts = ledger.countByOrder(effect);
  const times = (orderId: string) => counts.get(orderId) ?? 0;
  const isParked = (orderId: string) => parkedClaims.has(claimId(effect, orderId));
  const twice = orderIds.filter((orderId) => times(orderId) > 1);
  const undone = orderIds.filter((orderId) => times(orderId) === 0 && !isParked(orderId));
  const setAside = undone.filter((orderId) => deadLettered.has(orderId));
  const missing = undone.filter((orderId) => !deadLettered.has(orderId));
  const neverAsked = setAside.filter((orderId) => !ledger.wasAsked(effect, orderId));
  return {
    effect,
    orders: orderIds.length,
    done: orderIds.filter((orderId) => times(orderId) > 0).length,
    doubled: mayRepeat ? [] : twice,
    repeated: mayRepeat ? twice : [],
    parked: orderIds.filter((orderId) => isParked(orderId) && times(orderId) === 0),
    parkedAndDone: orderIds.filter((orderId) => isParked(orderId) && times(orderId) > 0).length,
    setAside,
    neverRun: neverAsked.filter((orderId) => !starved.has(orderId)),
    unjudged: neverAsked.filter((orderId) => starved.has(orderId)),
    unfinished: left > 0 ? missing : [],
    lost: left > 0 ? [] : missing,
  };
}
