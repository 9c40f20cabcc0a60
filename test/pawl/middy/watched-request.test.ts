import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { httpOnce } from '../../../lib/pawl/http/index.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';

type Middleware = Parameters<ReturnType<typeof middy>['use']>[0];

const settings = { onAbandoned: 'retry', onEvent: () => undefined } as const;
const doors = {
  sqsOnce: {
    middleware: sqsOnce({ ...settings, operation: 'send-email', store: memoryStore(), key: bodyField('orderId') }),
    event: () => sqsEvent(sqsRecord({ orderId: 'a' })),
    answer: undefined,
  },
  httpOnce: {
    middleware: httpOnce({ ...settings, operation: 'refund', caller: 'anyone', store: memoryStore() }),
    event: () => apiGatewayV2({ headers: { 'idempotency-key': '"k-1"' }, body: '{}' }),
    answer: { statusCode: 201 },
  },
};

describe.each(Object.entries(doors))('%s', (_, { middleware, event, answer }) => {
  it('leaves an ordinary request behind, of which other middlewares see nothing (watched-request.ts 3)', async () => {
    const seen: object[] = [];
    const properties = (request: object) =>
      Object.fromEntries(
        ['context', 'error', 'response'].map((name) => [
          name,
          'value' in (Object.getOwnPropertyDescriptor(request, name) ?? {}),
        ]),
      );
    const handler = middy(async () => answer, { timeoutEarlyInMillis: 0 })
      .use({
        after: (request) => {
          seen.push(properties(request), Object.keys(request).sort(), Reflect.ownKeys(request.internal));
        },
      })
      .use(middleware as Middleware);
    await handler(event(), context() as Context);
    expect(seen).toEqual([
      { context: true, error: true, response: true },
      ['context', 'error', 'event', 'internal', 'response'],
      // Which one object may be for all requests.
      [],
    ]);
  });
});
