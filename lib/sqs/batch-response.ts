import { lineOf } from '../kernel/recorded-error.ts';
import type { SqsBatchResponse } from './event.ts';
import type { Delivery } from './queue.ts';

/**
 * Lambda's answer, which is Middy's convention as well: each message's settled result is under its place in the event, where a middleware
 * around pawl looks for it, and where neither JSON nor a comparison does. Without it, `@middy/sqs-partial-batch-failure` fails on the shape of the
 * answer, and has all messages come again, for ever if they are done; or only those that the handler was given.
 */
export function batchResponse(batch: readonly Delivery[], unfinished: readonly Delivery[]): SqsBatchResponse {
  const batchItemFailures = unfinished.map(({ record }) => ({ itemIdentifier: record.messageId }));
  const response: SqsBatchResponse = { batchItemFailures };
  const listed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const [place, { record, fate }] of batch.entries()) {
    const error =
      fate?.fate === 'again' && fate.error ? lineOf(fate.error) : 'the message is not done, and comes again';
    const value = listed.has(record.messageId)
      ? { status: 'rejected', reason: new Error(error) }
      : { status: 'fulfilled', value: undefined };
    Object.defineProperty(response, place, { value });
  }
  return response;
}
