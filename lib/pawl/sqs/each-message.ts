import type { Host } from '../kernel/host.ts';
import { eachMessageOver, type MessageHandler, type SqsHandler } from './each-by.ts';
import type { SqsOptions } from './options.ts';
import { consumersQueues } from './sdk-transport.ts';

/**
 * A Lambda handler for an SQS queue whose effect happens once per key. Needs `ReportBatchItemFailures` on the event
 * source.
 *
 * Each message is claimed just before it starts, up to `concurrency` at once, and completed as it finishes. On a FIFO
 * queue the messages of a group run in order, and nothing of a group runs after one that did not finish. Nothing starts
 * that cannot end before the invocation does. The batch response names exactly the messages that are to come again.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * export const handler = eachMessage(
 *   { operation: 'charge-order', store, schema: Order, key: bodyField('id'), onAbandoned: 'retry' },
 *   ({ body }, claim) => bank.charge(body, { idempotencyKey: claim.effectKey }),
 * );
 */
export function eachMessage<Body>(
  options: SqsOptions<Body> & { readonly host?: Host },
  handle: MessageHandler<Body>,
): SqsHandler {
  return eachMessageOver(consumersQueues, options, handle);
}
