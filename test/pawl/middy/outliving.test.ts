import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

/* As on Lambda Managed Instances: the invocations of 30 s end, and their code runs on. The grace is 60 s. */

function batchAtWork(existing: () => Promise<unknown>, timeoutEarlyInMillis = 0) {
  const host = virtualHost(someDay, { outlivesInvocations: true });
  const store = memoryStore();
  const events: string[] = [];
  const handler = middy(async (_: SQSEvent, __: Context) => existing(), { timeoutEarlyInMillis }).use(
    sqsOnce({
      operation: 'send-email',
      aws: noQueue,
      store,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      onEvent: ({ type }) => void events.push(type),
      host,
    }),
  );
  const call = (lambda = context(30_000, host.now) as Context) =>
    handler(sqsEvent(sqsRecord({ orderId: 'a' }), sqsRecord({ orderId: 'b' })) as SQSEvent, lambda);
  const leases = () => store.records().map(({ status, leaseUntil }) => [status, leaseUntil - someDay]);
  return { host, store, events, call, leases };
}

it('keeps the claims of a batch in flight beyond the deadline, while its handler runs', async () => {
  const running = Promise.withResolvers<unknown>();
  const { host, call, leases, store } = batchAtWork(() => running.promise);
  const answer = call();
  await host.advance(80_000);
  expect(leases()).toEqual([
    ['in-flight', 90_000],
    ['in-flight', 90_000],
  ]);
  running.resolve([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: new Error('503') },
  ]);
  await host.advance(1000);
  await answer;
  expect(store.records().map(({ status }) => status)).toEqual(['completed', 'released']);
});

it('renews nothing of a batch that has ended', async () => {
  const { host, call, events, leases } = batchAtWork(async () => undefined);
  await call();
  await host.advance(300_000);
  expect(leases().map(([status]) => status)).toEqual(['completed', 'completed']);
  expect(events).toEqual(['granted', 'granted', 'completed', 'completed']);
});

it('keeps them when Middy gives up on the handler, which runs on', async () => {
  const { host, call, leases } = batchAtWork(() => new Promise(() => undefined), 5);
  // Middy waits by the clock of this machine: to it, little is left of the invocation.
  const remaining = [30_000, 20];
  const failed = { batchItemFailures: [expect.anything(), expect.anything()] };
  expect(await call({ getRemainingTimeInMillis: () => remaining.shift() ?? 0 } as Context)).toEqual(failed);
  await host.advance(600_000);
  expect(leases()).toEqual([
    ['in-flight', 90_000],
    ['in-flight', 90_000],
  ]);
});
