import { lineOf } from '../kernel/recorded-error.ts';
import type { Delivery } from './delivery.ts';
import type { SqsBatchResponse } from './event.ts';

/**
 * Lambda's batch response, which is Middy's convention as well: each message's settled result is under its place in the event, where a middleware
 * around pawl looks for it, and where neither JSON nor a comparison does. Without it, `@middy/sqs-partial-batch-failure` fails on the shape of the
 * response. All messages would come again, for ever if they are done; or only those that the handler was given.
 */
export function batchResponse(batch: readonly Delivery[], unfinished: readonly Delivery[]): SqsBatchResponse {
  const batchItemFailures = unfinished.map(({ record }) => ({ itemIdentifier: record.messageId }));
  const response: SqsBatchResponse = { batchItemFailures };
  const listed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const [place, one] of batch.entries()) {
    const isListed = listed.has(one.record.messageId);
    const result = isListed ? { value: { status: 'rejected', reason: new Error(whyUnfinished(one)) } } : fulfilled;
    Object.defineProperty(response, place, result);
  }
  return response;
}

/** One for all messages that are done: a batch may have 10,000 of them. */
const fulfilled: PropertyDescriptor = { value: Object.freeze({ status: 'fulfilled', value: undefined }) };

function whyUnfinished({ disposition }: Delivery): string {
  const error = disposition?.kind === 'returned' ? disposition.error : undefined;
  return error === undefined ? 'the message is not done, and comes again' : lineOf(error);
}
