import type { ConsumerPlace } from '../services/sqs/consumers.ts';
import type { DeliveryFaults } from '../services/sqs/event-source.ts';
import { type Carrying, countPlannedDelivery, takes } from './carrying.ts';
import type { Trouble } from './plan.ts';

interface QueueMessage {
  readonly MessageId?: string | undefined;
  readonly Body?: string | undefined;
}

/** What goes wrong with the messages of a consumer. */
export function deliveryFaults(state: Carrying, { construct, handler }: ConsumerPlace): DeliveryFaults {
  const intentsOf = ({ MessageId = '', Body = '' }: QueueMessage) => {
    const known = state.messageIntent(MessageId);
    return known === undefined ? state.intents.namedIn(Body) : [known];
  };
  const victimOf = (intents: readonly string[], fault: 'redeliver' | 'ttl', isIt: (trouble: Trouble) => boolean) => {
    const victim = intents.find((intent) => isIt(state.plan.trouble(intent, construct)));
    return victim !== undefined && takes(state, fault, construct, victim) ? victim : undefined;
  };
  const redelivers = (intents: readonly string[], kind: 'after-handled' | 'while-handled') => {
    if (victimOf(intents, 'redeliver', ({ redeliver }) => redeliver === kind) === undefined) return false;
    state.stats.redeliver += 1;
    return true;
  };
  /** Time passes before the message comes back. */
  const comesBackLate = async (intents: readonly string[], messageId: string) => {
    const intent = victimOf(intents, 'ttl', ({ ttl }) => ttl);
    if (intent === undefined) return false;
    const gone = await state.letTimePass({ construct, intent, messageId });
    state.stats.ttl += 1;
    for (const one of gone) state.journal.add([intent], { kind: 'struck', fault: 'ttl', sandbox: undefined, ...one });
    return true;
  };
  /** The index lags at one more delivery, unless the message has one anyway. For whom it lags is drawn for the function, which reads it. */
  const comesBackEarly = (intents: readonly string[]) =>
    intents.some(
      (intent) =>
        state.plan.trouble(intent, handler).indexLag &&
        state.plan.trouble(intent, construct).redeliver === undefined &&
        takes(state, 'indexLag', construct, intent),
    );
  return {
    deliversTwice(message) {
      const intents = intentsOf(message);
      for (const intent of intents) countPlannedDelivery(state, intent, construct, ['redeliver', 'ttl']);
      const twice = redelivers(intents, 'while-handled');
      if (twice) state.journal.add(intents, { kind: 'visible-while-handled', construct, message: message.MessageId });
      return twice;
    },
    async forgetsDeletion(message) {
      const { MessageId = '' } = message;
      const intents = intentsOf(message);
      const late = await comesBackLate(intents, MessageId);
      const forgotten = late || redelivers(intents, 'after-handled') || comesBackEarly(intents);
      state.journal.add(intents, { kind: 'acknowledged', construct, message: MessageId, forgotten });
      return forgotten;
    },
    onFilteredOut: (message) => state.journal.add(intentsOf(message), { kind: 'filtered-out', construct }),
  };
}
