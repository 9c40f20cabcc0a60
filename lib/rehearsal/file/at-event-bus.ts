import type { EventFaults } from '../services/event-buses/put-events.ts';
import { type Carrying, countPlannedDelivery, takes } from './carrying.ts';

/** What goes wrong with the events that a rule of an event bus matches. */
export function eventFaults(state: Carrying, construct: string): EventFaults {
  return {
    deliversTwice(event) {
      const intents = state.intents.namedIn(JSON.stringify(event));
      for (const intent of intents) countPlannedDelivery(state, intent, construct, ['redeliver']);
      const victim = intents.find((intent) => state.plan.trouble(intent, construct).redeliver !== undefined);
      if (victim === undefined || !takes(state, 'redeliver', construct, victim)) return false;
      state.stats.redeliver += 1;
      state.journal.add(intents, { kind: 'event-twice', construct });
      return true;
    },
  };
}
