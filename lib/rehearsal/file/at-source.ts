import type { EventFaults } from '../services/event-buses/put-events.ts';
import type { StreamFaults } from '../services/streams/stream.ts';
import { type Carrying, countPlannedDelivery, takes } from './carrying.ts';

/** What goes wrong with the records of a consumer of a stream. A record has no visibility timeout: it is delivered again after it was handled, or not at all. */
export function streamFaults(state: Carrying, construct: string): StreamFaults {
  return { forgetsCheckpoint: (records) => deliversAgain(state, construct, records, 'place-forgotten') };
}

/** What goes wrong with the events that a rule of an event bus matches. */
export function eventFaults(state: Carrying, construct: string): EventFaults {
  return { deliversTwice: (event) => deliversAgain(state, construct, event, 'event-twice') };
}

/** Whether it is delivered once more, as the plan says for one of the intents that it names. */
function deliversAgain(
  state: Carrying,
  construct: string,
  delivered: unknown,
  kind: 'place-forgotten' | 'event-twice',
): boolean {
  const intents = state.intents.namedIn(JSON.stringify(delivered));
  for (const intent of intents) countPlannedDelivery(state, intent, construct, ['redeliver']);
  const victim = intents.find((intent) => state.plan.trouble(intent, construct).redeliver !== undefined);
  if (victim === undefined || !takes(state, 'redeliver', construct, victim)) return false;
  state.stats.redeliver += 1;
  state.journal.add(intents, { kind, construct });
  return true;
}
