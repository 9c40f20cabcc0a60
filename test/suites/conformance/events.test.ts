import middy from '@middy/core';
import type {
  ALBHandler,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  Context,
  LambdaFunctionURLHandler,
  SQSBatchResponse,
  SQSEvent,
  SQSHandler,
  SQSRecord,
} from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { type HttpEvent, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, type SqsEvent, sentKey } from '../../../lib/pawl/sqs/index.ts';
import * as events from '../../fixtures/aws-events.ts';
import { noQueue } from '../../support/lambda.ts';

/*
 * The types of `@types/aws-lambda` are judged when this file is compiled: each handler is assigned to the type that an author would give it,
 * without a cast.
 */

/** Lambda's context, as its types have it. */
const context: Context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'shop',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:shop',
  memoryLimitInMB: '256',
  awsRequestId: '7e8f1f3a-5d0b-4c57-9a2c-5a5bd0a1e001',
  logGroupName: '/aws/lambda/shop',
  logStreamName: '2026/11/21/[$LATEST]4fbb7cd0',
  getRemainingTimeInMillis: () => 30_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
};

const queueOptions = () => ({
  operation: 'mail',
  store: memoryStore(),
  aws: noQueue,
  onAbandoned: 'retry' as const,
  onEvent: () => undefined,
});

const httpOptions = () => ({
  operation: 'pay',
  store: memoryStore(),
  caller: 'anyone' as const,
  onAbandoned: 'retry' as const,
  onEvent: () => undefined,
});

describe('an event of SQS, with every field that AWS documents', () => {
  interface Order {
    readonly orderId: string;
  }

  test('is theirs and ours at once', () => {
    const ours: SqsEvent = events.sqsFifo satisfies SQSEvent;
    expect(ours.Records).toHaveLength(3);
  });

  test.each([
    ['a standard queue', events.sqsStandard, ['1', '2']],
    ['a FIFO queue', events.sqsFifo, ['1', '2', '3']],
  ] as const)(
    'from %s: eachMessage is an SQSHandler, and the handler sees the record as it came',
    async (_, event, ids) => {
      const seen: SQSRecord[] = [];
      const handler: SQSHandler = eachMessage<Order>(
        { ...queueOptions(), key: bodyField('orderId') },
        async ({ record }) => {
          seen.push(record as SQSRecord);
        },
      );
      const answers = [1, 2].map(() => handler(event, context, () => undefined));
      expect(await Promise.all(answers)).toContainEqual({ batchItemFailures: [] });
      expect(seen.map(({ body }) => JSON.parse(body).orderId).sort()).toEqual(ids);
      expect(seen).toEqual(expect.arrayContaining([...event.Records]));
    },
  );

  test('sqsOnce is a middleware of a handler of SQSEvent, which sees whole records', async () => {
    const seen: SQSEvent[] = [];
    const existing = async (event: SQSEvent, _: Context): Promise<SQSBatchResponse | undefined> => {
      seen.push(event);
      return undefined;
    };
    const handler = middy(existing, { timeoutEarlyInMillis: 0 }).use(sqsOnce({ ...queueOptions(), key: sentKey() }));
    expect(await handler(events.sqsStandard, context, {} as never)).toEqual({ batchItemFailures: [] });
    expect(await handler(events.sqsStandard, context, {} as never)).toEqual({ batchItemFailures: [] });
    expect(seen).toEqual([events.sqsStandard]);
  });
});

describe('an event of HTTP, with every field that AWS documents', () => {
  const samples: Readonly<Record<string, HttpEvent>> = {
    'a REST API': events.restApi,
    'an HTTP API': events.httpApi,
    'a function URL': events.functionUrl,
    'a load balancer': events.loadBalancer,
    'a load balancer with multi-value headers': events.multiValueLoadBalancer,
  };

  test.each(Object.entries(samples))('from %s: is paid once, and its copy gets the response', async (_, event) => {
    let paid = 0;
    const handler = onceOverHttp(httpOptions(), async () => {
      paid++;
      return { statusCode: 201, body: '{"paid":true}' };
    });
    const [first, second] = [await handler(event, context), await handler(structuredClone(event), context)];
    expect(paid).toBe(1);
    expect(first).toEqual({ statusCode: 201, body: '{"paid":true}' });
    expect(second).toMatchObject({ statusCode: 201, body: '{"paid":true}' });
    expect(JSON.stringify(second)).toContain('Idempotency-Replayed');
  });

  test.each(Object.entries(samples))('from %s: the same key with another body is refused', async (_, event) => {
    const handler = onceOverHttp(httpOptions(), async () => ({ statusCode: 201 }));
    await handler(event, context);
    const other = { ...event, body: '{"payment":"p-1","amountCents":5001}', isBase64Encoded: false };
    expect(await handler(other, context)).toMatchObject({ statusCode: 422 });
  });

  test('onceOverHttp and httpOnce are handlers as @types/aws-lambda has them', async () => {
    const options = httpOptions();
    const rest: APIGatewayProxyHandler = onceOverHttp(options, async (_: APIGatewayProxyEvent, __: Context) => ({
      statusCode: 201,
      body: '',
    })) satisfies APIGatewayProxyHandler;
    const http: APIGatewayProxyHandlerV2 = onceOverHttp(options, async (_: APIGatewayProxyEventV2, __: Context) => ({
      statusCode: 201,
    }));
    const url: LambdaFunctionURLHandler = onceOverHttp(options, async (_: APIGatewayProxyEventV2, __: Context) => ({
      statusCode: 201,
    }));
    const alb: ALBHandler = onceOverHttp(options, async () => ({ statusCode: 201 }));
    const wrapped: APIGatewayProxyHandlerV2 = middy(async (_: APIGatewayProxyEventV2, __: Context) => ({
      statusCode: 201,
    })).use(httpOnce(options)) as APIGatewayProxyHandlerV2;
    for (const handler of [rest, http, url, alb, wrapped]) expect(handler).toBeTypeOf('function');
  });
});
