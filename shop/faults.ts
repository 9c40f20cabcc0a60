import type { DeliveryFaults } from '../lib/rehearsal/event-source.ts';
import type { StoreFaultStats, StoreFaults } from '../lib/rehearsal/store-faults.ts';
import type { TapCall } from '../lib/rehearsal/tap.ts';
import { record } from '../lib/rehearsal/template.ts';
import type { PlannedChange } from './change-plan.ts';
import { claimsIn, completionsIn } from './claim-writes.ts';
import type { EffectKind } from './ledger.ts';
import {
  EFFECTS,
  type KillPoint,
  type PlannedOrder,
  type PlannedPayment,
  type PlannedRepayment,
  type Trouble,
} from './plan.ts';
import type { ProviderFault } from './provider.ts';
import type { StackFaults } from './stack.ts';

/** The operations of the app's consumers, as they stand in the ids of their claims. */
export const OPERATION_OF: Readonly<Record<EffectKind, string>> = {
  email: 'send-email',
  'gift-card': 'issue-gift-card',
};

/** How long the service takes over a change of a slow account: an invocation has time for one. */
const SLOW_MS = 600;

/** How often each kind of trouble really happened. */
export interface FaultStats {
  readonly redeliveries: number;
  readonly providerFaults: number;
  readonly store: StoreFaultStats;
}

/** Carries a plan out: each trouble happens once, at the first chance. */
export function createFaults(
  plan: readonly PlannedOrder[],
  store: StoreFaults,
  payments: readonly PlannedPayment[] = [],
  repayments: readonly PlannedRepayment[] = [],
  changes: readonly PlannedChange[] = [],
): {
  readonly faults: StackFaults;
  readonly stats: FaultStats;
} {
  const stats = { redeliveries: 0, providerFaults: 0, store: store.stats };
  const troubles = new Map<string, Trouble>();
  const redeliveries = new Map<string, string>();
  for (const { order, effects } of plan) {
    for (const effect of EFFECTS) {
      const id = claimId(effect, order.orderId);
      const { trouble, redelivery } = effects[effect];
      if (trouble !== undefined) troubles.set(id, trouble);
      if (redelivery !== undefined) redeliveries.set(id, redelivery);
    }
  }

  const outages = new Map<string, { left: number; readonly taken: boolean }>();
  for (const { payment, kill, outage } of payments) {
    if (kill) troubles.set(`${kill.operation}#${payment.paymentId}`, { kind: 'kill', point: kill.point });
    if (outage) outages.set(payment.paymentId, { left: outage.calls, taken: outage.taken });
  }

  /** Whether the queue fails this call: before it has taken the message, or after. */
  function queueFails({ operation, body }: TapCall, taken: boolean): boolean {
    if (operation !== 'SendMessage') return false;
    const { paymentId } = record(JSON.parse(String(record(JSON.parse(body))['MessageBody'])));
    const outage = outages.get(String(paymentId));
    if (outage === undefined || outage.taken !== taken || outage.left === 0) return false;
    outage.left -= 1;
    return true;
  }

  for (const { request, killed } of repayments) {
    if (killed) troubles.set(`repay-debts#${request.requestId}`, { kind: 'kill', point: 'work-written' });
  }

  const slowAccounts = new Set<string>();
  const stuckChanges = new Set<string>();
  for (const { change, trouble, slow, stuck } of changes) {
    if (trouble !== undefined) troubles.set(`change-account#${change.changeId}`, trouble);
    if (stuck) stuckChanges.add(change.changeId);
    if (slow) slowAccounts.add(change.accountId);
  }

  /** Whether one of these claims is to cost its sandbox's life here. Each only once. */
  function takesLife(ids: readonly string[], point: KillPoint): boolean {
    const victim = ids.find((id) => {
      const trouble = troubles.get(id);
      return trouble?.kind === 'kill' && trouble.point === point;
    });
    return victim !== undefined && troubles.delete(victim);
  }

  function accounts(changeId: string, accountId: string): ProviderFault | undefined {
    // As a person at the service would keep it back: nothing is booked, and it says so.
    if (stuckChanges.has(changeId)) return { kind: 'error-before', status: 423 };
    const slow = slowAccounts.has(accountId) ? ({ kind: 'late', delayMs: SLOW_MS } as const) : undefined;
    return faultAt(`change-account#${changeId}`) ?? slow;
  }

  const provider = (effect: EffectKind, orderId: string) => faultAt(claimId(effect, orderId));

  /** What goes wrong with this call for an effect. Each only once. */
  function faultAt(id: string): ProviderFault | undefined {
    const trouble = troubles.get(id);
    const fault = trouble === undefined ? undefined : faultOf(trouble);
    if (fault === undefined) return undefined;
    troubles.delete(id);
    if (trouble?.kind === 'provider') stats.providerFaults += 1;
    return fault;
  }

  function delivery(effect: EffectKind): DeliveryFaults {
    const take = (kind: string) => (message: { readonly Body?: string | undefined }) => {
      const id = claimId(effect, String(record(JSON.parse(message.Body ?? 'null'))['orderId']));
      if (redeliveries.get(id) !== kind) return false;
      stats.redeliveries += 1;
      return redeliveries.delete(id);
    };
    return { forgetsDeletion: take('forgets-deletion'), deliversTwice: take('delivers-twice') };
  }

  const faults: StackFaults = {
    provider,
    accounts,
    delivery,
    queue: {
      onRequest: (call) => (queueFails(call, false) ? 'drop' : 'pass'),
      onResponse: (call) => (queueFails(call, true) ? 'drop' : 'pass'),
    },
    tap: {
      rewrite: store.rewrite,
      onRequest: (call) => (takesLife(completionsIn(call), 'completion-sent') ? 'kill' : 'pass'),
      onResponse: (call, answer) => {
        // A claim that was refused belongs to somebody else: killing this sandbox would show nothing.
        if (takesLife(claimsIn(call, answer), 'claim-written')) return 'kill';
        if (takesLife(completionsIn(call, answer), 'completion-written')) return 'kill';
        if (answer.status === 200 && takesLife(workIn(call), 'work-written')) return 'kill';
        return store.onResponse();
      },
      onAnswered: (call, answer) => (takesLife(claimsIn(call, answer), 'claim-answered') ? 'kill' : 'pass'),
    },
  };
  return { faults, stats };
}

/** The requests whose work a transaction commits: their effect keys stand in it. */
function workIn({ operation, body }: TapCall): readonly string[] {
  return operation === 'TransactWriteItems' ? (body.match(/repay-debts#request-\d+/g) ?? []) : [];
}

/** The id of an effect's claim in the table. */
export function claimId(effect: EffectKind, orderId: string): string {
  return `${OPERATION_OF[effect]}#${orderId}`;
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
