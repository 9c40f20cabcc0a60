import { emit } from '../engine/engine.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import type { QueueDoor } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import { type Returned, returned } from './disposition.ts';
import { reportDelivery } from './report.ts';

/**
 * Returns a message to its queue, with a report, if the function has no name of its claims table or no URL of its dead-letter queue. Looked at before the
 * message is: a message that can never run would be dead-lettered by a function that has never worked.
 *
 * @returns nothing if the function is set up
 */
export function returnedUnlessSetUp<Body>(consumer: QueueDoor<Body>, one: Delivery): Returned | undefined {
  const { engine, options, settings } = consumer;
  const { setupError } = settings.store;
  if (setupError !== undefined) {
    emit(engine, one.identity, { type: 'store-unavailable', error: recordedError(setupError) });
    return returned;
  }
  const queueError = options.deadLetters?.setupError;
  if (queueError === undefined) return undefined;
  reportDelivery(engine, one, { type: 'queue-call-failed', error: recordedError(queueError) });
  return returned;
}
