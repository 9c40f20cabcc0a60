import { createRandom, type Random } from '../../lib/rehearsal/engine/random.ts';
import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import type { ClaimKillPoint } from '../faults/claim-kills.ts';
import type { EffectKind } from '../providers/ledger.ts';
import type { ProcessedPayment } from '../providers/processor.ts';

/** The moment at which a sandbox is killed, in the life of one effect. */
export type KillPoint =
  | ClaimKillPoint
  /** The call has reached the provider, which has not done anything yet. */
  | 'before-effect'
  /** The provider has done it, and has not responded. */
  | 'effect-applied'
  /** The provider's response has just gone out. */
  | 'effect-answered'
  /** Some of the work of a request is committed, and the rest is not. */
  | 'work-written';

export type Trouble =
  | { readonly kind: 'kill'; readonly point: KillPoint }
  | { readonly kind: 'provider'; readonly fault: ProviderFault };

/** How one of an order's two effects is disturbed. */
interface EffectPlan {
  /** The producer sends a second message, with an id of its own: along with the first one, or this much later. */
  readonly sentAgainAfterSeconds: number | undefined;
  /** SQS delivers once more: after the message was deleted, or while it is being handled. */
  readonly redelivery: 'forgets-deletion' | 'delivers-twice' | undefined;
  readonly trouble: Trouble | undefined;
}

interface Order {
  readonly orderId: string;
  readonly customer: { readonly email: string; readonly name: string };
  readonly amountCents: number;
  readonly currency: string;
  readonly placedAt: string;
}

export interface PlannedOrder {
  readonly order: Order;
  readonly effects: Readonly<Record<EffectKind, EffectPlan>>;
}

/** A payment, and where it costs a sandbox its life. */
export interface PlannedPayment {
  readonly payment: ProcessedPayment;
  /** In the function that the processor calls, or in the one that posts to the ledger. */
  readonly kill: { readonly operation: (typeof paymentOperations)[number]; readonly point: KillPoint } | undefined;
  /** How many of the first calls of the processor have a malformed body. */
  readonly flawedCalls: number;
  /** How often the queue fails when the payment is sent to it; and whether it has taken the message then, which it does not say. */
  readonly outage: { readonly calls: number; readonly taken: boolean } | undefined;
}

/** A request to repay debts, and whether it costs a sandbox its life in the middle of its work. */
export interface PlannedRepayment {
  readonly request: { readonly requestId: string; readonly customerId: string; readonly debts: readonly string[] };
  readonly killed: boolean;
}

const paymentOperations = ['payment-callback', 'post-payment'] as const;

export interface PlanOptions {
  readonly orders: number;
  /** The share of orders that cost a sandbox its life, from 0 to 1. */
  readonly killShare: number;
  readonly seed: number;
}

const sentAgainShare = 0.1;
const forgottenShare = 0.06;
const twiceShare = 0.04;
const providerTroubleShare = 0.08;
const flawedShare = 0.15;
const outageShare = 0.15;

/** The points that an effect outside of DynamoDB has. */
export const killPoints = [
  'claim-written',
  'claim-answered',
  'before-effect',
  'effect-applied',
  'effect-answered',
  'completion-sent',
  'completion-written',
] as const satisfies readonly KillPoint[];

const nameOfEntry = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Leslie', 'Jim', 'Frances', 'Tony', 'Radia', 'Ken'] as const;

/** Everything that will go wrong, decided beforehand and by the seed alone. */
export function createPlan(options: PlanOptions): readonly PlannedOrder[] {
  const random = createRandom(options.seed);
  const victims = chooseVictims(options, random);
  return Array.from({ length: options.orders }, (_, index) => {
    const orderId = `order-${String(index + 1).padStart(5, '0')}`;
    const killed = victims.get(index);
    return {
      order: createOrder(orderId, random),
      effects: {
        email: planEffect(random, killed?.effect === 'email' ? killed.point : undefined),
        'gift-card': planEffect(random, killed?.effect === 'gift-card' ? killed.point : undefined),
      },
    };
  });
}

/** Payments, and the same share of them that costs a sandbox its life. Posting one is a single transaction: it has two points only. */
export function planPayments({ orders: payments, killShare, seed }: PlanOptions): readonly PlannedPayment[] {
  // Not the orders' own chances over again.
  const random = createRandom(seed ^ 0x70_61_79);
  const day = createRandom(seed ^ 0x64_61_79);
  return Array.from({ length: payments }, (_, index) => {
    const payment = {
      paymentId: `payment-${String(index + 1).padStart(5, '0')}`,
      customerId: `customer-${random.below(50)}`,
      amountCents: 100 + random.below(10_000),
      currency: 'EUR',
    };
    const operation = random.pick(paymentOperations);
    const point = random.pick(
      operation === 'post-payment'
        ? (['completion-sent', 'completion-written'] as const)
        : (['claim-written', 'claim-answered', 'completion-sent', 'completion-written'] as const),
    );
    const kill = random.chance(killShare) ? { operation, point } : undefined;
    // Always drawn, used or not, as above.
    const [flawed, flawedCalls] = [day.chance(flawedShare), 1 + day.below(2)];
    const [fails, outage] = [day.chance(outageShare), { calls: 1 + day.below(3), taken: day.chance(0.3) }];
    return { payment, kill, flawedCalls: flawed ? flawedCalls : 0, outage: fails ? outage : undefined };
  });
}

/**
 * Requests over one customer's debts: some identical, some overlapping, some apart, and the first one over very many. More
 * of them are killed than of anything else, because each has many moments to be killed in.
 */
export function planRepayments(requests: number, seed: number): readonly PlannedRepayment[] {
  const random = createRandom(seed ^ 0x64_65_62);
  const range = (from: number, size: number) => Array.from({ length: size }, (_, index) => `debt-${from + index}`);
  return Array.from({ length: requests }, (_, index) => {
    const some = random.pick([range(0, 20), range(10, 20), range(random.below(150), 1 + random.below(30))]);
    const request = {
      requestId: `request-${String(index + 1).padStart(5, '0')}`,
      customerId: 'customer-1',
      debts: index === 0 ? range(0, 150) : some,
    };
    return { request, killed: random.chance(0.25) };
  });
}

/**
 * One victim in every stretch of the orders, rather than anywhere: neighbours share a batch, and a batch that loses its
 * sandbox twice takes two visibility timeouts to show what the first one shows already. The effects and the points take turns.
 */
function chooseVictims(
  { orders, killShare }: PlanOptions,
  random: Random,
): ReadonlyMap<number, { readonly effect: EffectKind; readonly point: KillPoint }> {
  const victims = new Map<number, { effect: EffectKind; point: KillPoint }>();
  const count = Math.round(orders * killShare);
  const shift = random.below(killPoints.length);
  for (let victim = 0; victim < count; victim += 1) {
    const from = Math.floor((victim * orders) / count);
    const to = Math.floor(((victim + 1) * orders) / count);
    victims.set(from + random.below(Math.max(1, to - from)), {
      effect: victim % 2 === 0 ? 'email' : 'gift-card',
      point: killPoints[(Math.floor(victim / 2) + shift) % killPoints.length] ?? 'claim-written',
    });
  }
  return victims;
}

function createOrder(orderId: string, random: Random): Order {
  const name = random.pick(nameOfEntry);
  return {
    orderId,
    customer: { email: `${name.toLowerCase()}.${orderId}@example.com`, name },
    amountCents: 500 + 100 * random.below(100),
    currency: random.pick(['EUR', 'USD', 'GBP']),
    placedAt: new Date(Date.UTC(2026, 0, 1) + random.below(86_400_000)).toISOString(),
  };
}

function planEffect(random: Random, point: KillPoint | undefined): EffectPlan {
  // Always drawn, used or not: what happens to one order must not depend on another one's kill.
  const again = random.chance(sentAgainShare) ? random.pick([0, 0, 2, 6]) : undefined;
  const luck = random.next();
  const fault = random.chance(providerTroubleShare) ? planFault(random) : undefined;
  const redelivery =
    luck < forgottenShare ? 'forgets-deletion' : luck < forgottenShare + twiceShare ? 'delivers-twice' : undefined;
  return { sentAgainAfterSeconds: again, redelivery, trouble: planTrouble(point, fault) };
}

function planTrouble(point: KillPoint | undefined, fault: ProviderFault | undefined): Trouble | undefined {
  if (point !== undefined) return { kind: 'kill', point };
  return fault === undefined ? undefined : { kind: 'provider', fault };
}

export function planFault(random: Random): ProviderFault {
  const luck = random.next();
  const delayMs = 200 + random.below(1_000);
  const status = random.pick([500, 502]);
  // Few that hang: each costs its batch the whole timeout of the function, and then a visibility timeout.
  if (luck < 0.06) return { kind: 'hang-before' };
  if (luck < 0.12) return { kind: 'hang-applied' };
  if (luck < 0.4) return { kind: 'error-before', status: random.pick([status, 503]) };
  if (luck < 0.65) return { kind: 'error-applied', status };
  return { kind: 'late', delayMs };
}
