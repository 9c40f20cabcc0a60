import type { Host } from '../kernel/host.ts';
import type { SqsEvent } from '../sqs/event.ts';
import { leanQueues } from '../sqs/lean/lean-sqs.ts';
import type { SqsTransport } from '../sqs/transport.ts';
import { type SqsOnceOptions, sqsOnceOver } from './batch-middleware.ts';
import type { Middleware } from './middy-types.ts';

export type { SqsEvent, SqsRecord } from '../sqs/event.ts';
export type { Message } from '../sqs/message.ts';
export type { SqsTransport } from '../sqs/transport.ts';
export type { SqsOnceOptions } from './batch-middleware.ts';
export { openedMessage } from './opened-message.ts';

/**
 * The options of the middleware over the lean transport.
 *
 * @example
 * import { bodyField, leanSqs } from 'pawl/sqs/lean';
 *
 * const options: LeanSqsOnceOptions<Order> = {
 *   operation: 'send-email',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onAbandoned: 'retry',
 *   sqsClient: leanSqs(),
 * };
 */
export interface LeanSqsOnceOptions<Body> extends SqsOnceOptions<Body> {
  /**
   * What carries the requests to SQS: `leanSqs()` of `pawl/sqs/lean`, with options of its own.
   * @default `leanSqs()`
   */
  readonly sqsClient?: SqsTransport;
}

/**
 * A Middy middleware for a batch handler that exists, as `sqsOnce` of `pawl/middy`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import middy from '@middy/core';
 * import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
 * import { bodyField } from 'pawl/sqs/lean';
 *
 * declare const existingBatchHandler: (event: SQSEvent) => Promise<SQSBatchResponse>;
 * export const handler = middy(existingBatchHandler, { timeoutEarlyInMillis: 0 }).use(
 *   sqsOnce({ operation: 'send-email', store, key: bodyField('orderId'), onAbandoned: 'retry' }),
 * );
 */
export function sqsOnce<Body = unknown>(
  options: LeanSqsOnceOptions<Body> & { readonly host?: Host },
): Middleware<SqsEvent> {
  return sqsOnceOver(leanQueues, options);
}
