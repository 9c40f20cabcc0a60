import middyfy from '@middy/core';
import type { SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';

/** A batch handler as people have it, by Middy's convention. */
export function batchHandler({ effect }: Pick<World, 'effect'>) {
  return (event: SqsEvent) => Promise.allSettled(event.Records.map(async ({ messageId }) => effect(messageId)));
}

/** No protection at all: what the handler and its framework cost by themselves. */
export function unprotected(world: Pick<World, 'effect'>) {
  const handler = middyfy(batchHandler(world), { timeoutEarlyInMillis: 0 }).use({
    after(request: { event: SqsEvent; response: unknown }) {
      const results = request.response as readonly PromiseSettledResult<void>[];
      const failed = request.event.Records.filter((_, index) => results[index]?.status === 'rejected');
      request.response = { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    },
  } as object);
  return ({ event, context }: Delivery) =>
    () =>
      handler(event, context as Parameters<typeof handler>[1]);
}
