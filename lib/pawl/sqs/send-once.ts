import { sendOnceOver } from './producer.ts';
import { producersQueues } from './sdk-transport.ts';
import type { Outgoing, SendOnceOptions, SendOutcome } from './send-once-options.ts';

/**
 * Sends a message once per intent, as far as the consumer is concerned: the key is kept in the claims table before anything is sent, and
 * goes along as the message attribute `idempotency-key`. A producer that dies on the way and is run again sends with the same key; so does
 * a producer whose request had no answer. Either may put the message into the queue twice: the consumer, whose key is `sentKey()`, runs once.
 *
 * The returned function rejects with SQS's error, or with `StoreUnavailableError`, if SQS or the store still fails after `giveUpAfterMs`. It rejects at
 * once with SQS's refusal; with `InvalidMessageError` if the key is missing; with what to change if the table, the queue or a permission is not as
 * pawl needs it.
 *
 * @throws OptionError at once when an option is missing or out of range; at the first call when the queue's URL is missing
 * @example
 * const send = sendOnce({ operation: 'refund', store, queueUrl: process.env.REFUNDS_QUEUE_URL });
 * const answer = await send({ key: entityKey('payment', payment.id, 'refund'), body: { payment: payment.id } });
 * if (answer.outcome === 'parked') console.error(`an operator has to decide: ${answer.error.message}`);
 */
export function sendOnce(options: SendOnceOptions): (message: Outgoing) => Promise<SendOutcome> {
  return sendOnceOver(producersQueues, options);
}
