import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';

type Order = { readonly orderId: string; readonly amount: number };
type Handler = (event: SQSEvent, context: Context) => unknown;

const ways: Record<string, (options: SqsOptions<Order>) => Handler> = {
  eachMessage: (options) => eachMessage<Order>(options, () => undefined),
  sqsOnce: (options) => middy(() => undefined, { timeoutEarlyInMillis: 0 }).use(sqsOnce<Order>(options)) as Handler,
};

it.each(Object.entries(ways))('%s keeps attributes beside the key, from the first grant on', async (_, consume) => {
  const store = memoryStore();
  const handler = consume({
    operation: 'send-email',
    store,
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    aws: noQueue,
    attributes: ({ body }) => ({ amount: body.amount }),
  });
  await handler(sqsEvent(sqsRecord({ orderId: 'a', amount: 5 })) as SQSEvent, context() as Context);
  expect(store.records()).toMatchObject([{ status: 'completed', attributes: { amount: 5 } }]);
});
