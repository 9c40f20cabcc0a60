import type { ShopFaults } from '../faults/faults.ts';
import type { PlannedOrder } from '../plan/plan.ts';
import type { EffectKind } from '../providers/ledger.ts';

type NextFault = ShopFaults['provider'];

const hostFailures = 4;
const kills = ['kill-before', 'kill-applied', 'kill-answered'] as const;

/** Beside the planned faults, the host dies during some effects: before or after they happened. */
export function withHostFailures(plan: readonly PlannedOrder[], planned: NextFault | undefined): NextFault {
  const step = Math.max(1, Math.floor(plan.length / hostFailures));
  const victims = new Map<string, (typeof kills)[number]>();
  for (let index = 0; index < hostFailures && index * step < plan.length; index += 1) {
    const effect = index % 2 === 0 ? 'gift-card' : 'email';
    const orderId = plan[index * step]?.order.orderId ?? '';
    victims.set(victimId(effect, orderId), kills[index % kills.length] ?? 'kill-before');
  }
  return (effect, orderId) => {
    const kind = victims.get(victimId(effect, orderId));
    if (kind === undefined) return planned?.(effect, orderId);
    victims.delete(victimId(effect, orderId));
    return { kind };
  };
}

function victimId(effect: EffectKind, orderId: string): string {
  return `${effect} ${orderId}`;
}
