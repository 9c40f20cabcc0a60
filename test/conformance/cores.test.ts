import middy7 from '@middy/core';
import middy5 from '@middy-5/core';
import middy6 from '@middy-6/core';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { claimOf, httpOnce } from '../../lib/http/index.ts';
import { memoryStore } from '../../lib/index.ts';
import { sqsOnce } from '../../lib/middy/index.ts';
import { bodyField } from '../../lib/sqs/index.ts';
import { httpApi, sqsStandard } from '../fixtures/aws-events.ts';
import { context, noQueue } from '../support/lambda.ts';

/*
 * Pawl's middlewares fit the types of each core: that is judged when this file is compiled, and so nothing is cast here but Lambda's context.
 */

const lambda = () => context() as Context;
const early = { timeoutEarlyInMillis: 0 };
const silent = { store: memoryStore(), onAbandoned: 'retry' as const, onEvent: () => undefined };
const ours = (operation: string) =>
  sqsOnce({ ...silent, operation, sqsClient: noQueue, key: bodyField('orderId'), onAbandoned: 'retry' });
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
  'core 5': middy5(batch, early).use(ours('core-5')),
  'core 6': middy6(batch, early).use(ours('core-6')),
  'core 7': middy7(batch, early).use(ours('core-7')),
};
const apis = {
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
