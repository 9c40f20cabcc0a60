import type { Host } from '../kernel/host.ts';
import type { SqsEvent } from '../sqs/event.ts';
import { consumersQueues } from '../sqs/sdk-transport.ts';
import { type SqsOnceOptions, sqsOnceOver } from './batch-middleware.ts';
import type { Middleware } from './middy-types.ts';

/**
 * A Middy middleware for a batch handler that exists. The messages are claimed before the handler, the handler gets only those that
 * may run, as SQS delivered them, and what it returns is recorded after it. Inside an `envelope`, `openedMessage(record)` has the body. `PromiseSettledResult[]`, `{ batchItemFailures }`, nothing, and a throw are understood. If
 * the handler returns anything else, all messages that it got have failed.
 *
 * All claims of a batch are taken before the handler starts, so a worker that dies leaves all of them in doubt; with
 * `onAbandoned: 'park'` prefer `eachMessage`, or small batches. `.use` it last, but before what parses bodies: it needs the text
 * that was sent. Set Middy's `timeoutEarlyInMillis` to 0: its early timeout does not stop the handler.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import middy from '@middy/core';
 * import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
 * import { bodyField } from 'pawl/sqs';
 *
 * declare const existingBatchHandler: (event: SQSEvent) => Promise<SQSBatchResponse>;
 * export const handler = middy(existingBatchHandler, { timeoutEarlyInMillis: 0 }).use(
 *   sqsOnce({ operation: 'send-email', store, key: bodyField('orderId'), onAbandoned: 'retry' }),
 * );
 */
export function sqsOnce<Body = unknown>(
  options: SqsOnceOptions<Body> & { readonly host?: Host },
): Middleware<SqsEvent> {
  return sqsOnceOver(consumersQueues, options);
}
