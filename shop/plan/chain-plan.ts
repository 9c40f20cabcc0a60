import { createRandom } from '../../lib/rehearsal/engine/random.ts';
import { killPoints, type PlannedPayment, planFault, type Trouble } from './plan.ts';

/** What follows from a payment that is posted, each by a message of its own. */
export const chainEffects = ['receipt', 'points'] as const;

export type ChainEffect = (typeof chainEffects)[number];

/** The idempotency key of the message that asks for an effect, as the app makes it. */
export function messageKey(effect: ChainEffect, paymentId: string): string {
  return `${effect}/${paymentId}`;
}

/** Finds such a key in a text. */
export const keyOfMessage = /(?:receipt|points)\/payment-\d+/;

/** The moment at which a sender of the outbox is killed. */
export type SendingPoint =
  /** The payment is posted, with its messages; its worker never learns it. */
  | 'committed'
  /** The relay looks for the message. */
  | 'unread'
  /** The message is on its way to its destination. */
  | 'unsent'
  /** The destination has it; the sender never learns it. */
  | 'sent'
  /** The sender is about to remove it from the outbox. */
  | 'kept'
  /** It is removed; the sender never learns it. */
  | 'removed';

/** Who dies on the way of a message out of the outbox. What the relay is to die at cannot be sent by the worker that has committed it. */
export interface PlannedSending {
  readonly effect: ChainEffect;
  readonly by: 'worker' | 'relay';
  readonly point: SendingPoint;
}

/** What goes wrong behind a payment. */
export interface PlannedChain {
  readonly paymentId: string;
  readonly sending: PlannedSending | undefined;
  /** In the consumer that has the effect, or at its provider. */
  readonly troubles: Readonly<Record<ChainEffect, Trouble | undefined>>;
  /** The event bus hands its event over twice. */
  readonly comesTwice: boolean;
}

const points = {
  worker: ['committed', 'unsent', 'sent', 'kept', 'removed'],
  relay: ['unread', 'unsent', 'sent', 'kept', 'removed'],
} as const satisfies Readonly<Record<PlannedSending['by'], readonly SendingPoint[]>>;

/** How many senders die for each payment that costs a consumer its life. */
const sendersPerKill = 3.125;
/** One in so many of them is a worker, and the others are relays: twenty of a hundred payments. */
const workerEvery = 5;
const twiceShare = 0.1;
const providerShare = 0.08;

/** Everything that will go wrong behind the payments, by the seed alone. The points take turns, so that each of them is met. */
export function planChain(
  payments: readonly PlannedPayment[],
  { killShare, seed }: { readonly killShare: number; readonly seed: number },
): readonly PlannedChain[] {
  const random = createRandom(seed ^ 0x63_68_61);
  const spread = (share: number) => victims(payments.length, share, random.below);
  const senders = spread(killShare * sendersPerKill);
  const killed = { receipt: spread(killShare), points: spread(killShare) };
  return payments.map(({ payment: { paymentId } }, index) => {
    const sender = senders.get(index);
    const troubleOf = (effect: ChainEffect): Trouble | undefined => {
      // Always drawn, used or not: what happens to one payment must not depend on another one's kill.
      const fault = random.chance(providerShare) ? planFault(random) : undefined;
      const victim = killed[effect].get(index);
      if (victim !== undefined) return { kind: 'kill', point: turn(killPoints, victim) };
      return fault && { kind: 'provider', fault };
    };
    return {
      paymentId,
      sending: sender === undefined ? undefined : sendingOf(sender),
      troubles: { receipt: troubleOf('receipt'), points: troubleOf('points') },
      comesTwice: random.chance(twiceShare),
    };
  });
}

function sendingOf(sender: number): PlannedSending {
  const by = sender % workerEvery === 0 ? 'worker' : 'relay';
  const round = Math.floor(sender / workerEvery);
  const nth = by === 'worker' ? round : sender - round - 1;
  // There are five points for each and two effects, so that in ten turns each point has met both.
  return { effect: turn(chainEffects, nth), by, point: turn(points[by], nth) };
}

function turn<Item>(items: readonly [Item, ...Item[]], nth: number): Item {
  return items[nth % items.length] ?? items[0];
}

/** The ordinal of each victim, by its place: one in every stretch, because neighbours share a batch, and a batch that loses its worker twice waits twice. */
function victims(of: number, share: number, below: (limit: number) => number): ReadonlyMap<number, number> {
  const count = Math.min(of, Math.round(of * share));
  const places = Array.from({ length: count }, (_, nth) => {
    const [from, to] = [nth, nth + 1].map((edge) => Math.floor((edge * of) / count));
    return [(from ?? 0) + below(Math.max(1, (to ?? 0) - (from ?? 0))), nth] as const;
  });
  return new Map(places);
}
