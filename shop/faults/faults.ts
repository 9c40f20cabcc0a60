import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import { combineHooks } from '../../lib/rehearsal/engine/servers/tap-hooks.ts';
import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import type { EventFaults } from '../../lib/rehearsal/services/event-buses/put-events.ts';
import type { DeliveryFaults } from '../../lib/rehearsal/services/sqs/event-source.ts';
import { shopEffects } from '../app/app-functions.ts';
import { chainClaimId, claimId } from '../app/claim-id.ts';
import { type ChainEffect, chainEffects, type PlannedChain } from '../plan/chain-plan.ts';
import type { PlannedChange } from '../plan/change-plan.ts';
import type { PlannedOrder, PlannedPayment, PlannedRepayment, Trouble } from '../plan/plan.ts';
import type { EffectKind } from '../providers/ledger.ts';
import { type ClaimKillPoint, claimKillPoints, createClaimKills } from './claim-kills.ts';
import { createQueueOutages } from './queue-outages.ts';
import { createRedeliveries } from './redeliveries.ts';
import { createSenderKills } from './sender-kills.ts';
import { dynamoReads } from './store-reads.ts';

/** How long the service takes over a change of a slow account: an invocation has time for one. */
const slowMs = 600;

/** What a run has planned. */
export interface Plans {
  readonly orders?: readonly PlannedOrder[];
  readonly payments?: readonly PlannedPayment[];
  readonly chain?: readonly PlannedChain[];
  readonly repayments?: readonly PlannedRepayment[];
  readonly changes?: readonly PlannedChange[];
}

/** What goes wrong, and where. */
export interface ShopFaults {
  readonly provider: (effect: EffectKind, orderId: string) => ProviderFault | undefined;
  readonly chain: (effect: ChainEffect, paymentId: string) => ProviderFault | undefined;
  readonly accounts: (changeId: string, accountId: string) => ProviderFault | undefined;
  /** Of what functions send to the database of their claims. */
  readonly store: TapHooks;
  /** Of what functions send to SQS by its endpoint; what goes to the URL of a queue does not pass. */
  readonly sqs: TapHooks;
  readonly eventbridge: TapHooks;
  readonly eventDelivery: () => EventFaults;
  readonly delivery: (effect: EffectKind) => DeliveryFaults;
}

/** How often each kind of trouble really happened. */
export interface FaultStats {
  readonly redeliveries: number;
  readonly providerFaults: number;
  /** How often a relay was killed that sent what lay in the outbox. */
  readonly relaysKilled: number;
  /** The planned deaths that have not happened: claims by their ids, and messages of the outbox by their keys. */
  readonly spared: readonly string[];
  readonly store: StoreFaultStats;
}

/** How often the database of the claims was made to fail, and how. */
export type StoreFaultStats = Readonly<
  Partial<Record<'throttled' | 'unread' | 'connectionsLost' | 'answersLost', number>>
>;

/** What the database does on a bad day, by chance. */
export interface StoreFaults {
  readonly stats: StoreFaultStats;
  readonly hooks: TapHooks;
}

/** Carries plans out: each trouble happens once, at the first chance. @param reads reads calls to the database of the claims. @default to DynamoDB */
export function createFaults(
  { orders = [], payments = [], chain = [], repayments = [], changes = [] }: Plans,
  store: StoreFaults,
  reads = dynamoReads,
): { readonly faults: ShopFaults; stats(): FaultStats } {
  const troubles = troublesOf({ orders, payments, chain, changes });
  const atProviders = createProviderFaults(troubles);
  const redeliveries = createRedeliveries(orders);
  const claimKills = createClaimKills(claimKillsAmong(troubles), reads.writesIn);
  const senders = createSenderKills(chain, reads);
  const killed = repayments.filter((planned) => planned.killed).map(({ request }) => request.requestId);
  return {
    faults: {
      provider: (effect, orderId) => atProviders.next(claimId(effect, orderId)),
      chain: (effect, paymentId) => atProviders.next(chainClaimId(effect, paymentId)),
      accounts: createAccountFaults(changes, atProviders.next),
      delivery: redeliveries.faultsFor,
      sqs: combineHooks(createQueueOutages(payments), senders.destinations),
      eventbridge: senders.destinations,
      eventDelivery: () => createEventRepeats(chain),
      store: combineHooks(claimKills, senders.store, createWorkKills(killed, reads.commit), store.hooks),
    },
    stats: () => ({
      ...redeliveries.stats,
      ...atProviders.stats,
      ...senders.stats,
      spared: [...claimKills.left.keys(), ...atProviders.spared(), ...senders.left.keys()],
      store: store.stats,
    }),
  };
}

/** All troubles, by the ids of the claims that they are for. */
function troublesOf({
  orders,
  payments,
  chain,
  changes,
}: Required<Omit<Plans, 'repayments'>>): ReadonlyMap<string, Trouble> {
  const troubles = new Map<string, Trouble>();
  for (const { order, effects } of orders) {
    for (const effect of shopEffects) {
      const { trouble } = effects[effect];
      if (trouble !== undefined) troubles.set(claimId(effect, order.orderId), trouble);
    }
  }
  for (const { payment, kill } of payments) {
    if (kill) troubles.set(`${kill.operation}#${payment.paymentId}`, { kind: 'kill', point: kill.point });
  }
  for (const { paymentId, sending, troubles: behind } of chain) {
    if (sending?.point === 'committed')
      troubles.set(`post-payment#${paymentId}`, { kind: 'kill', point: 'completion-written' });
    for (const effect of chainEffects) {
      const trouble = behind[effect];
      if (trouble !== undefined) troubles.set(chainClaimId(effect, paymentId), trouble);
    }
  }
  for (const { change, trouble } of changes) {
    if (trouble !== undefined) troubles.set(changeClaimId(change.changeId), trouble);
  }
  return troubles;
}

function changeClaimId(changeId: string): string {
  return `change-account#${changeId}`;
}

/** The kills that meet a claim on its way to the table, or back. */
function claimKillsAmong(troubles: ReadonlyMap<string, Trouble>): ReadonlyMap<string, ClaimKillPoint> {
  const kills = new Map<string, ClaimKillPoint>();
  for (const [id, trouble] of troubles) {
    const point = trouble.kind === 'kill' ? claimKillPoints.find((one) => one === trouble.point) : undefined;
    if (point !== undefined) kills.set(id, point);
  }
  return kills;
}

/** What goes wrong with the calls for effects. Each fault happens once. */
function createProviderFaults(troubles: ReadonlyMap<string, Trouble>) {
  const left = new Map(troubles);
  const stats = { providerFaults: 0 };
  return {
    stats,
    /** The claims whose worker is to die at its provider, and has not yet. */
    spared: () =>
      [...left].flatMap(([id, trouble]) => (trouble.kind === 'kill' && faultOf(trouble) !== undefined ? [id] : [])),
    /** The fault of the call for the effect of this claim. */
    next(id: string): ProviderFault | undefined {
      const trouble = left.get(id);
      const fault = trouble && faultOf(trouble);
      if (fault === undefined) return undefined;
      left.delete(id);
      if (trouble?.kind === 'provider') stats.providerFaults += 1;
      return fault;
    },
  };
}

function faultOf(trouble: Trouble): ProviderFault | undefined {
  if (trouble.kind === 'provider') return trouble.fault;
  switch (trouble.point) {
    case 'before-effect':
      return { kind: 'kill-before' };
    case 'effect-applied':
      return { kind: 'kill-applied' };
    case 'effect-answered':
      return { kind: 'kill-answered' };
    default:
      return undefined;
  }
}

/** The events that a bus hands over twice, each once. */
function createEventRepeats(chain: readonly PlannedChain[]): EventFaults {
  const left = new Set(chain.filter(({ comesTwice }) => comesTwice).map(({ paymentId }) => paymentId));
  return { deliversTwice: ({ detail }) => left.delete(String(record(detail)['paymentId'])) };
}

/** What goes wrong with the calls to book a change: some are refused each time, and those of some accounts take long. */
function createAccountFaults(
  changes: readonly PlannedChange[],
  next: (id: string) => ProviderFault | undefined,
): ShopFaults['accounts'] {
  const stuck = new Set(changes.filter((planned) => planned.stuck).map(({ change }) => change.changeId));
  const slow = new Set(changes.filter((planned) => planned.slow).map(({ change }) => change.accountId));
  return (changeId, accountId) => {
    // As a person at the service would keep it back: nothing is booked, and the service says so.
    if (stuck.has(changeId)) return { kind: 'error-before', status: 423 };
    return next(changeClaimId(changeId)) ?? (slow.has(accountId) ? { kind: 'late', delayMs: slowMs } : undefined);
  };
}

/** Kills the worker of each of these repayments once, when some of its work is committed. */
function createWorkKills(requestIds: readonly string[], commit: string): TapHooks {
  const left = new Set(requestIds);
  return {
    onResponse({ operation, body }, { status }) {
      if (operation !== commit || status !== 200) return 'pass';
      // The effect key of a request stands in each transaction of its work.
      const ids = [...body.matchAll(/repay-debts#(request-\d+)/g)].map(([, id = '']) => id);
      const victim = ids.find((id) => left.has(id));
      return victim !== undefined && left.delete(victim) ? 'kill' : 'pass';
    },
  };
}
