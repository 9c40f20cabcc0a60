import type { ProviderFault } from '../../lib/rehearsal/provider.ts';
import { createPlan, type PlannedOrder, type Trouble } from '../plan/plan.ts';
import type { EffectKind } from '../providers/ledger.ts';

/** How many mails are left in doubt, and how many gift cards are refused for good. */
export const incidentPlan = { mails: 40, refused: 10 } as const;

const killsEvery = 10;
const nothingAgain = { sentAgainAfterSeconds: undefined, redelivery: undefined } as const;

/** The orders of an incident: workers die, and the mail service fails, in the middle of 40 mails; 10 gift cards are refused. */
export function planIncident(seed: number): readonly PlannedOrder[] {
  const orders = createPlan({ orders: incidentPlan.mails + incidentPlan.refused, killShare: 0, seed });
  return orders.map(({ order }, index) => ({
    order: { ...order, orderId: `incident-${String(index + 1).padStart(3, '0')}` },
    effects: {
      email: { ...nothingAgain, trouble: index < incidentPlan.mails ? mailTrouble(index) : undefined },
      'gift-card': { ...nothingAgain, trouble: undefined },
    },
  }));
}

/** Every tenth costs the function its life. Of all others the service does not say what it did: three of four have gone out. */
function mailTrouble(index: number): Trouble {
  if (index % killsEvery === 0)
    return { kind: 'kill', point: index % (2 * killsEvery) === 0 ? 'effect-applied' : 'before-effect' };
  return { kind: 'provider', fault: { kind: index % 4 === 3 ? 'error-before' : 'error-applied', status: 500 } };
}

type NextFault = (effect: EffectKind, orderId: string) => ProviderFault | undefined;

/** The last orders of an incident get no gift card, however often the provider is asked. */
export function withRefusals(incident: readonly PlannedOrder[], planned: NextFault): NextFault {
  const refused = new Set(incident.slice(incidentPlan.mails).map(({ order }) => order.orderId));
  return (effect, orderId) =>
    effect === 'gift-card' && refused.has(orderId) ? { kind: 'error-before', status: 422 } : planned(effect, orderId);
}
