import type { Host } from '../../kernel/host.ts';
import { eachMessageOver, type MessageHandler, type SqsHandler } from '../each-by.ts';
import { sendOnceOver } from '../producer.ts';
import type { Outgoing, SendOutcome } from '../send-once-options.ts';
import { leanQueues } from './lean-sqs.ts';
import type { LeanConsumerOptions, LeanProducerOptions } from './options.ts';

/**
 * A Lambda handler for an SQS queue, as `eachMessage` of `pawl/sqs`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { dynamoStore } from 'pawl/dynamodb/lean';
 *
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * export const handler = eachMessage(
 *   { operation: 'charge-order', store, schema: Order, key: bodyField('id'), onAbandoned: 'retry' },
 *   ({ body }, claim) => bank.charge(body, { idempotencyKey: claim.effectKey }),
 * );
 */
export function eachMessage<Body>(
  options: LeanConsumerOptions<Body> & { readonly host?: Host },
  handle: MessageHandler<Body>,
): SqsHandler {
  return eachMessageOver(leanQueues, options, handle);
}

/**
 * Sends a message once per intent, as `sendOnce` of `pawl/sqs`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is missing or out of range; at the first call when the queue's URL is missing
 * @example
 * const send = sendOnce({ operation: 'refund', store, queueUrl: process.env.REFUNDS_QUEUE_URL });
 * await send({ key: entityKey('payment', payment.id, 'refund'), body: { payment: payment.id } });
 */
export function sendOnce(options: LeanProducerOptions): (message: Outgoing) => Promise<SendOutcome> {
  return sendOnceOver(leanQueues, options);
}
