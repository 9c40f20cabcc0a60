import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { durableFunctions } from '../../../lib/pawl/workflows/durable-functions.ts';
import { executionEnded, startOnce, type WaitForEnd } from '../../../lib/pawl/workflows/index.ts';
import { durable, durableEvent, startDurableFunctions } from '../../support/durable-functions.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import type { Fate } from '../../support/step-functions.ts';

/* A handler of AWS's own SDK runs here, by AWS's own runner. Lambda's names and events are a stand-in's. */

type Order = { orderId: string };

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

it('runs a durable handler once for all copies of a message, and again where it has failed', async () => {
  const settled: string[] = [];
  let failures = 1;
  const settleOrder = withDurableExecution(async ({ orderId }: Order, durably) => {
    await durably.step('settle', async () => void settled.push(orderId));
    if (failures-- > 0) throw new Error('the bank is closed');
    return { orderId };
  });

  const fates: Fate[] = ['lost-after'];
  const lambda = await startDurableFunctions({ fate: () => fates.shift(), client: { maxAttempts: 1 } });
  const store = memoryStore();
  const workflow = durableFunctions({ client: lambda.client, functionArn: durable.alias });
  const shared = { operation: 'settle', store, workflow, onEvent: () => undefined };
  const waitForEnd: WaitForEnd = { afterFailed: 'start-again', endsWithinMs: 3_600_000 };
  const handler = startOnce<Order>({
    ...shared,
    aws: noQueue,
    key: ({ body }) => body.orderId,
    backoffSeconds: () => undefined,
    waitForEnd,
  });
  const ended = executionEnded({ ...shared, ...waitForEnd });
  const message = sqsRecord({ orderId: 'order-17' });
  const deliver = async () => failuresOf(await handler(sqsEvent(message), context()));

  expect(await deliver()).toEqual([message.messageId]);
  expect(await deliver()).toEqual([]);
  expect(await deliver()).toEqual([]);
  const outcomes: unknown[] = [];
  for (const execution of lambda.started) {
    const run = await new LocalDurableTestRunner({ handlerFunction: settleOrder }).run({
      payload: JSON.parse(execution.input),
    });
    const status = run.getStatus();
    if (status !== 'SUCCEEDED' && status !== 'FAILED') throw new Error(`ended as ${status}`);
    lambda.end(execution, status);
    outcomes.push((await ended(durableEvent(execution, status))).outcome);
  }
  expect(outcomes).toEqual(['started-again', 'completed']);
  expect(settled).toEqual(['order-17', 'order-17']);
  expect(lambda.started.map(({ name }) => name.split('-')[1])).toEqual(['1', '2']);
  await lambda.stop();
});
