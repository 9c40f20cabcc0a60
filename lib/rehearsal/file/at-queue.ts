import type { DeliveryFaults } from '../event-source.ts';
import { type Carrying, takes } from './carrying.ts';

/** What goes wrong with the messages of a consumer. */
export function deliveryFaults(state: Carrying, construct: string): DeliveryFaults {
  const intentsOf = ({ MessageId = '', Body = '' }: { MessageId?: string | undefined; Body?: string | undefined }) => {
    const known = state.messageIntent(MessageId);
    return known === undefined ? state.intents.namedIn(Body) : [known];
  };
  const happens = (intents: readonly string[], kind: 'after-handled' | 'while-handled') => {
    const victim = intents.find((intent) => state.plan.trouble(intent, construct).redeliver === kind);
    if (victim === undefined || !takes(state, 'redeliver', construct, victim)) return false;
    state.stats.redeliver += 1;
    return true;
  };
  return {
    deliversTwice(message) {
      const intents = intentsOf(message);
      const twice = happens(intents, 'while-handled');
      if (twice) state.journal.add(intents, { kind: 'visible-while-handled', construct, message: message.MessageId });
      return twice;
    },
    forgetsDeletion(message) {
      const intents = intentsOf(message);
      const forgotten = happens(intents, 'after-handled');
      state.journal.add(intents, { kind: 'acknowledged', construct, message: message.MessageId, forgotten });
      return forgotten;
    },
    onFilteredOut: (message) => state.journal.add(intentsOf(message), { kind: 'filtered-out', construct }),
  };
}
