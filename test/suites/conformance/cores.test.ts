import middy7 from '@middy/core';
import middy1 from '@middy-1/core';
import middy4 from '@middy-4/core';
import middy5 from '@middy-5/core';
import middy6 from '@middy-6/core';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { claimOf, httpOnce } from '../../../lib/pawl/http/index.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { httpApi, sqsStandard } from '../../fixtures/aws-events.ts';
import { context, noQueue } from '../../support/lambda.ts';

/*
 * Pawl's middlewares fit the types of each core: that is judged when this file is compiled, and so nothing is cast here but Lambda's context.
 */

const lambda = () => context() as Context;
const early = { timeoutEarlyInMillis: 0 };
const silent = { store: memoryStore(), onAbandoned: 'retry' as const, onEvent: () => undefined };
const ours = (operation: string) =>
  sqsOnce({ ...silent, operation, aws: noQueue, key: bodyField('orderId'), onAbandoned: 'retry' });
const oursOverHttp = (operation: string) =>
  httpOnce<APIGatewayProxyEventV2>({ ...silent, operation, caller: 'anyone', onAbandoned: 'retry' });

const batch = async (event: SQSEvent, _: Context) => {
  expect(event.Records.map(({ body }) => JSON.parse(body).orderId)).toEqual(['1', '2']);
};
const pay = async (_: APIGatewayProxyEventV2, given: Context) => ({
  statusCode: 201,
  body: String(claimOf(given)?.effectKey.length),
});

const queues = {
  'core 4': middy4(batch, early).use(ours('core-4')),
  'core 5': middy5(batch, early).use(ours('core-5')),
  'core 6': middy6(batch, early).use(ours('core-6')),
  'core 7': middy7(batch, early).use(ours('core-7')),
};
const apis = {
  'core 4': middy4(pay, early).use(oursOverHttp('core-4')),
  'core 5': middy5(pay, early).use(oursOverHttp('core-5')),
  'core 6': middy6(pay, early).use(oursOverHttp('core-6')),
  'core 7': middy7(pay, early).use(oursOverHttp('core-7')),
};

test.each(Object.entries(queues))(
  '%s: sqsOnce is a middleware by its types, and by what it does',
  async (_, handler) => {
    const call = handler as (event: SQSEvent, context: Context) => Promise<unknown>;
    expect(await call(structuredClone(sqsStandard), lambda())).toEqual({ batchItemFailures: [] });
    expect(await call(structuredClone(sqsStandard), lambda())).toEqual({ batchItemFailures: [] });
  },
);

test.each(Object.entries(apis))(
  '%s: httpOnce is a middleware by its types, and by what it does',
  async (_, handler) => {
    const call = handler as (event: APIGatewayProxyEventV2, context: Context) => Promise<{ body: string }>;
    const first = await call(structuredClone(httpApi), lambda());
    expect(Number(first.body)).toBeGreaterThan(0);
    expect(await call(structuredClone(httpApi), lambda())).toMatchObject(first);
  },
);

/** As Lambda Managed Instances call a handler: two at once. Middy 5 and 6 hand one `internal` to all of them, if there is one. */
const shared = { ...early, internal: { sender: 'shop@example.com' } };
const inTurn = () => new Promise((resolve) => setTimeout(resolve, 20));
const failing = async (event: SQSEvent, _: Context) => {
  await inTurn();
  return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};
const slow = async (event: APIGatewayProxyEventV2, _: Context) => {
  await inTurn();
  return { statusCode: 201, body: event.rawPath };
};

const busyQueues = {
  'core 4': middy4(failing, shared).use(ours('busy-4')),
  'core 5': middy5(failing, shared).use(ours('busy-5')),
  'core 6': middy6(failing, shared).use(ours('busy-6')),
  'core 7': middy7(failing, shared).use(ours('busy-7')),
};
const busyApis = {
  'core 4': middy4(slow, shared).use(oursOverHttp('busy-4')),
  'core 5': middy5(slow, shared).use(oursOverHttp('busy-5')),
  'core 6': middy6(slow, shared).use(oursOverHttp('busy-6')),
  'core 7': middy7(slow, shared).use(oursOverHttp('busy-7')),
};

test.each(Object.entries(busyQueues))(
  '%s: of two batches at once, each is answered for its own messages',
  async (_, handler) => {
    const call = handler as (event: SQSEvent, context: Context) => Promise<unknown>;
    const answers = await Promise.all(sqsStandard.Records.map((record) => call({ Records: [record] }, lambda())));
    expect(answers).toEqual(
      sqsStandard.Records.map(({ messageId }) => ({ batchItemFailures: [{ itemIdentifier: messageId }] })),
    );
  },
);

test.each(Object.entries(busyApis))('%s: of two requests at once, each has its own response', async (_, handler) => {
  const call = handler as (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;
  const keys = ['p-1', 'p-2'];
  const requests = keys.map((key) => ({
    ...httpApi,
    rawPath: `/payments/${key}`,
    headers: { ...httpApi.headers, 'idempotency-key': `"${key}"` },
  }));
  const answers = await Promise.all(requests.map((request) => call(request, lambda())));
  expect(answers).toEqual(keys.map((key) => ({ statusCode: 201, body: `/payments/${key}` })));
  // And each is recorded as done.
  expect(await Promise.all(requests.map((request) => call(request, lambda())))).toMatchObject(answers);
});

/** Middy 1 is CommonJS, with types of its own: it ignores what `before` returns, so Lambda would get `null` and delete what is in flight. */
const old = middy1 as unknown as (handler: unknown) => {
  use(middleware: unknown): (event: unknown, context: Context) => Promise<unknown>;
};

test.each([
  ['sqsOnce', ours('core-1'), sqsStandard],
  ['httpOnce', oursOverHttp('core-1'), httpApi],
])('core 1: %s refuses the first event, and nothing runs', async (door, middleware, event) => {
  let runs = 0;
  const handler = old(async () => {
    runs++;
  }).use(middleware);
  await expect(handler(structuredClone(event), lambda())).rejects.toThrow(
    `${door}: works with Middy 4 and later; this request has no \`internal\``,
  );
  expect(runs).toBe(0);
});

// Observing changes nothing, so it refuses nothing either. Middy 1 takes a hook of an error that returns for one that has dealt with it.
test.each([
  [
    'sqsOnce',
    sqsOnce({ ...silent, operation: 'watch-1', aws: noQueue, key: bodyField('orderId'), mode: 'observe' }),
    sqsStandard,
  ],
  [
    'httpOnce',
    httpOnce<APIGatewayProxyEventV2>({ ...silent, operation: 'watch-1', caller: 'anyone', mode: 'observe' }),
    httpApi,
  ],
])('core 1: %s that only observes leaves the error of a handler as it is', async (_, middleware, event) => {
  const handler = old(async () => {
    throw new Error('the mail server is down');
  }).use(middleware);
  await expect(handler(structuredClone(event), lambda())).rejects.toThrow('the mail server is down');
});
