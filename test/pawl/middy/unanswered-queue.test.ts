import type { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, type Message } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { readonly orderId?: string };

const never = () => new Promise<never>(() => undefined);

it.each([
  ['can never run', bodyField('orderId')],
  [
    'the key function fails for, again and again',
    ({ body }: Message<Order>) => {
      if (body.orderId === undefined) throw new Error('a bug');
      return body.orderId;
    },
  ],
])('an SQS that hangs takes no time from healthy messages, where the head of a group %s', async (_, key) => {
  const host = virtualHost();
  const handled: string[] = [];
  const handler = middy((event: SQSEvent) => void handled.push(...event.Records.map(({ body }) => body)), {
    timeoutEarlyInMillis: 0,
  }).use(
    sqsOnce<Order>({
      operation: 'send-email',
      store: memoryStore(),
      key,
      onAbandoned: 'park',
      aws: sdk({ sqs: { send: never } as unknown as SQSClient }),
      deadLetters: { send: never },
      onEvent: () => undefined,
      host,
    }),
  );
  const bad = sqsRecord({}, { group: 'g', receiveCount: 4 });
  const behind = sqsRecord({ orderId: 'a' }, { group: 'g', receiveCount: 4 });
  const healthy = sqsRecord({ orderId: 'b' }, { group: 'other' });
  const response = handler(sqsEvent(bad, behind, healthy) as SQSEvent, context(30_000, host.now) as Context);
  await host.advance(29_900);
  expect(failuresOf(await response)).toEqual([bad.messageId, behind.messageId].sort());
  expect(handled).toEqual(['{"orderId":"b"}']);
});
