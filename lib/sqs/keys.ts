import type { KeyValue } from '../claims/identity.ts';
import type { Message } from './message.ts';

/** Takes the idempotency key from a message. Answering nothing means that the message never runs. */
export type MessageKey<Body> = (message: Message<Body>) => KeyValue;

/**
 * The key is a field of the body, by its path.
 *
 * @example
 * key: bodyField('order.id')
 */
export function bodyField(path: string): (message: { readonly body: unknown }) => KeyValue {
  const names = path.split('.');
  return (message) => {
    let value: unknown = message.body;
    for (const name of names) {
      value = fieldOf(value, name);
    }
    // Whatever it is: a value that is no key is refused by name, rather than taken for missing.
    return value as KeyValue;
  };
}

/** What was sent under this name: `constructor`, and the `length` of a list, are nothing that was sent. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const isSent = Object.prototype.propertyIsEnumerable.call(value, name);
  return isSent ? Reflect.get(value, name) : undefined;
}

/**
 * The key is a message attribute, as a producer that keeps its key over its own retries sends it.
 *
 * @example
 * key: messageAttribute('idempotency-key')
 */
export function messageAttribute(name: string): MessageKey<unknown> {
  return ({ record }) => {
    const attributes = record.messageAttributes ?? {};
    return Object.hasOwn(attributes, name) ? attributes[name]?.stringValue : undefined;
  };
}

/**
 * The key is made of several parts, all of which must be there. `a` + `bc` and `ab` + `c` are different keys.
 *
 * @example
 * key: compositeKey(bodyField('customerId'), bodyField('invoiceMonth')) // `c-17/2026-11`
 */
export function compositeKey<Body>(...parts: readonly MessageKey<Body>[]): MessageKey<Body> {
  return (message) => {
    const texts: string[] = [];
    for (const part of parts) {
      const value = part(message);
      if (value === undefined || value === null || value === '') return undefined;
      // A part that is no key at all is handed on as it is, to be refused by name.
      if (typeof value !== 'string' && !Number.isSafeInteger(value)) return value;
      texts.push(encodeURIComponent(value));
    }
    return texts.join('/');
  };
}

/**
 * The key is SQS's message id. It guards against a second delivery of the same copy, and against nothing else: a redrive
 * from the dead-letter queue and a producer that sends twice make new ids. Prefer a key that means something.
 */
export function messageId(): MessageKey<unknown> {
  return (message) => message.messageId;
}

/** The message attribute in which `sendOnce` sends the idempotency key. */
export const keyAttribute = 'idempotency-key';

/**
 * The key is the one that the producer sent the message with, by `sendOnce`.
 *
 * @example
 * key: sentKey()
 */
export function sentKey(): MessageKey<unknown> {
  return messageAttribute(keyAttribute);
}
