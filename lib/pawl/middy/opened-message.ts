import { explainedError } from '../kernel/errors.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { Message } from '../sqs/message.ts';

/**
 * What `sqsOnce` has read of a record that it passes to the handler: the body inside its envelopes, as the schema made it, and their metadata. The record itself stays
 * as SQS delivered it, so that a handler which opens its envelopes by itself works as before.
 *
 * @param record of `event.Records`, as the handler was given it
 * @throws TypeError for any other object, and for a copy
 * @example
 * export const existingBatchHandler = ({ Records }: SqsEvent) =>
 *   Promise.allSettled(Records.map((record) => mailer.send(openedMessage<Order>(record).body)));
 */
export function openedMessage<Body>(record: object): Message<Body> {
  const message = propertyOf(record, openedAs);
  if (message === undefined)
    throw explainedError(
      TypeError,
      'openedMessage: expected a record that sqsOnce handed on, and no copy of it. Open the record of the event itself',
      'wrong-handler',
    );
  return message as Message<Body>;
}

/** Keeps with a record what was read of it. JSON and comparisons do not see it. */
export function keepOpened(record: object, message: Message<unknown>): void {
  Object.defineProperty(record, openedAs, { value: message });
}

// By name: two copies of pawl in one bundle must understand each other.
const openedAs = Symbol.for('pawl.opened-message');
