import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { DeliveryFaults } from '../../lib/rehearsal/services/sqs/event-source.ts';
import { shopEffects } from '../app/app-functions.ts';
import { claimId } from '../app/claim-id.ts';
import type { PlannedOrder } from '../plan/plan.ts';
import type { EffectKind } from '../providers/ledger.ts';

/** Makes SQS deliver messages once more, as planned, and counts how often. */
export interface Redeliveries {
  readonly stats: { readonly redeliveries: number };
  faultsFor(effect: EffectKind): DeliveryFaults;
}

export function createRedeliveries(orders: readonly PlannedOrder[]): Redeliveries {
  const stats = { redeliveries: 0 };
  const left = new Map<string, string>();
  for (const { order, effects } of orders) {
    for (const effect of shopEffects) {
      const { redelivery } = effects[effect];
      if (redelivery !== undefined) left.set(claimId(effect, order.orderId), redelivery);
    }
  }
  /** Whether this happens to a message now. Each only once. */
  const takes = (kind: string, effect: EffectKind, body: string | undefined): boolean => {
    const id = claimId(effect, String(record(JSON.parse(body ?? 'null'))['orderId']));
    if (left.get(id) !== kind) return false;
    stats.redeliveries += 1;
    return left.delete(id);
  };
  return {
    stats,
    faultsFor: (effect) => ({
      forgetsDeletion: ({ Body }) => takes('forgets-deletion', effect, Body),
      deliversTwice: ({ Body }) => takes('delivers-twice', effect, Body),
    }),
  };
}
