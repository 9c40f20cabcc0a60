import { randomUUID } from 'node:crypto';
import { nodeHost } from '../host.ts';
import type { KeyValue } from '../kernel/key.ts';
import { identify } from '../rules/identity.ts';

/**
 * The key of what happens once to a thing: `payment/1234/refund`. The same in every run, so there is nothing to keep. Parts are
 * escaped: `('a', 'b/c')` and `('a/b', 'c')` are two keys. The form is that of `compositeKey`.
 *
 * @throws InvalidMessageError when a part is missing, or nothing that identifies anything
 * @example
 * const key = entityKey('payment', payment.id, 'refund'); // payment/1234/refund
 */
export function entityKey(...parts: readonly KeyValue[]): string {
  return parts.map((part) => encodeURIComponent(identify('key', part, nodeHost).key)).join('/');
}

/**
 * A random key for one request, where a second request is meant to have a second effect. Store the key before you send, or give `sendOnce` an intent.
 *
 * @example
 * const send = sendOnce({ operation: 'refund', store, queueUrl: process.env.REFUNDS_QUEUE_URL });
 * await send({ key: requestKey(), intent: `refund of ${payment.id}`, body: { payment: payment.id } });
 */
export function requestKey(): string {
  return randomUUID();
}
