import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage, type SqsEvent, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

let client: DynamoDBClient;
let tableName: string;
let queues: Awaited<ReturnType<typeof startQueues>>;
beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
});
afterAll(() => client.destroy());
beforeEach(async () => {
  tableName = await claimsTable(client);
  queues = await startQueues();
});
afterEach(() => queues.stop());

type Order = { orderId: string };

function consumer(options: Partial<SqsOptions<Order>>, effect: () => unknown) {
  const events: ClaimEvent[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: (event) => events.push(event),
      ...options,
    },
    effect,
  );
  return { events, deliver: () => queues.deliver((event: SqsEvent) => handler(event, context(20_000))) };
}

describe('a duplicate whose first copy is still running', () => {
  it('is deferred: back to the queue, invisible until the lease can have ended', async () => {
    const work = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await queues.send({ orderId: 'a' });
    const first = consumer({}, () => {
      begun.resolve();
      return work.promise;
    });
    const delivery = first.deliver();
    await begun.promise;
    const duplicate = await queues.send({ orderId: 'a' });
    let ranTwice = false;
    const second = consumer({}, () => {
      ranTwice = true;
    });
    expect(await second.deliver()).toEqual({ received: 1, failed: [duplicate] });
    const deferred = second.events.find((event) => event.type === 'deferred');
    // The lease is the first invocation's 20 seconds, the skew 1 second, the jitter at most 2.6.
    expect(deferred).toMatchObject({ messageId: duplicate });
    expect(deferred?.type === 'deferred' && deferred.seconds).toBeGreaterThan(10);
    expect(deferred?.type === 'deferred' && deferred.seconds).toBeLessThanOrEqual(24);
    expect(await queues.depth(queues.orders)).toEqual({ ready: 0, delayed: 0, inFlight: 2 });
    work.resolve();
    expect(await delivery).toEqual({ received: 1, failed: [] });
    expect(ranTwice).toBe(false);
  });

  it('is acknowledged by choice, and that is said', async () => {
    const work = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await queues.send({ orderId: 'a' });
    const first = consumer({ onInFlight: 'discard' }, () => {
      begun.resolve();
      return work.promise;
    });
    const delivery = first.deliver();
    await begun.promise;
    await queues.send({ orderId: 'a' });
    const second = consumer({ onInFlight: 'discard' }, () => undefined);
    expect(await second.deliver()).toEqual({ received: 1, failed: [] });
    expect(second.events.map(({ type }) => type)).toEqual(['in-flight']);
    work.resolve();
    await delivery;
  });
});
