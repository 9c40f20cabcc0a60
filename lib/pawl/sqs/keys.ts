import { expect } from '../kernel/check.ts';
import type { KeyValue } from '../kernel/key.ts';
import { sayingMissing } from '../payload/missing-key.ts';
import { keyAttribute } from '../payload/sent-key.ts';
import type { Message } from './message.ts';

/** Takes the idempotency key from a message. If it returns nothing, the message never runs. */
export type MessageKey<Body> = (message: Message<Body>) => KeyValue;

/**
 * The key is a message attribute, as a producer that keeps its key over its own retries sends it: of SQS, or of SNS inside `snsEnvelope()`.
 *
 * @throws OptionError unless the name is a text
 * @example
 * export const handler = eachMessage(
 *   { operation: 'send-email', store, schema: Order, key: messageAttribute('idempotency-key'), onAbandoned: 'park' },
 *   ({ body }) => mailer.send(body),
 * );
 */
export function messageAttribute(name: string): MessageKey<unknown> {
  const isName = typeof name === 'string' && name !== '';
  expect(isName, 'messageAttribute', "the name of an attribute: 'idempotency-key'", name, 'wrong-key-option');
  const key: MessageKey<unknown> = ({ messageAttributes }) =>
    Object.hasOwn(messageAttributes, name) ? messageAttributes[name]?.stringValue : undefined;
  return sayingMissing(key, () => `the message has no attribute '${name}' of type String`);
}

/**
 * The key is SQS's message id. It guards against a second delivery of the same message, and of a copy that pawl has dead-lettered or redriven. A
 * producer that sends twice makes new ids. So does SQS, where it moves a message back by itself that it has dead-lettered by itself. A copy says its id
 * in the message attribute `pawl-source-message-id`, and who may send to the queue may say so of any message: what passes messages on must not copy it.
 * Prefer a key that means something.
 *
 * @example
 * export const handler = eachMessage(
 *   { operation: 'refresh-cache', store, key: messageId(), onAbandoned: 'retry' },
 *   ({ body }) => console.log('refreshed', body),
 * );
 */
export function messageId(): MessageKey<unknown> {
  return (message) => message.messageId;
}

/**
 * The key that the producer sent with the message, by `sendOnce` or through an outbox: of SQS, of SNS inside `snsEnvelope()`, of EventBridge inside
 * `eventBridgeEnvelope()`.
 *
 * @example
 * export const handler = eachMessage(
 *   { operation: 'refund', store, key: sentKey(), fingerprint: { ignore: ['sentAt'] }, onAbandoned: 'park' },
 *   ({ body }) => console.log('refunds', body),
 * );
 */
export function sentKey(): MessageKey<unknown> {
  return messageAttribute(keyAttribute);
}
