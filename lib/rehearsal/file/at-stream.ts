import type { StreamFaults } from '../services/streams/stream.ts';
import type { StreamRecord } from '../services/streams/stream-client.ts';
import { type Carrying, countPlannedDelivery, takes } from './carrying.ts';

/** What goes wrong with the records of a consumer of a stream. A record has no visibility timeout: it is delivered again after it was handled, or not at all. */
export function streamFaults(state: Carrying, construct: string): StreamFaults {
  return {
    forgetsCheckpoint(records: readonly StreamRecord[]) {
      const intents = state.intents.namedIn(JSON.stringify(records));
      for (const intent of intents) countPlannedDelivery(state, intent, construct, ['redeliver']);
      const victim = intents.find((intent) => state.plan.trouble(intent, construct).redeliver !== undefined);
      if (victim === undefined || !takes(state, 'redeliver', construct, victim)) return false;
      state.stats.redeliver += 1;
      state.journal.add(intents, { kind: 'place-forgotten', construct });
      return true;
    },
  };
}
