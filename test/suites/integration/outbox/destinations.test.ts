import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { eventBuses } from '../../../../lib/pawl/outbox/destinations/event-buses.ts';
import { topics } from '../../../../lib/pawl/outbox/destinations/topics.ts';
import {
  type DynamoOutboxOptions,
  dynamoOutbox,
  type OutboxMessage,
  outboxRelay,
  queues,
} from '../../../../lib/pawl/outbox/index.ts';
import { largeBodies } from '../../../../lib/pawl/outbox/large-bodies.ts';
import { largePayload } from '../../../../lib/pawl/payload/envelopes/large-payload.ts';
import {
  type EnvelopeOption,
  eachMessage,
  eventBridgeEnvelope,
  sentKey,
  snsEnvelope,
} from '../../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { commit, transactionalStore } from '../../../../lib/pawl/transactions/index.ts';
import { startClouds } from '../../../support/clouds.ts';
import { context, sqsEvent } from '../../../support/lambda.ts';
import { claimsTable, localClient, outboxTable } from '../../../support/tables.ts';
import { order } from '../../scenarios/support.ts';
import { busArn, startBus } from './bus.ts';

let clouds: Awaited<ReturnType<typeof startClouds>>;
beforeEach(async () => {
  clouds = await startClouds();
  return () => clouds.stop();
});

const topicArn = 'arn:aws:sns:us-east-1:000000000000:orders';

/** An outbox with two copies of each message on their way: its worker dies after it has sent, and the relay sends again. */
async function sendTwice(options: Omit<DynamoOutboxOptions, 'tableName' | 'aws'>, given: OutboxMessage) {
  const client = localClient(inject('dynamoEndpoint'));
  onTestFinished(() => client.destroy());
  const [tableName, claims] = [await outboxTable(client), await claimsTable(client)];
  const events: string[] = [];
  const aws = sdk({ dynamodb: client });
  const outbox = dynamoOutbox({ tableName, aws, ...options, onEvent: ({ type }) => void events.push(type) });
  const dies = dynamoOutbox({ tableName, aws, ...options, atOnceMs: 0 });
  const book = eachMessage<unknown>(
    {
      operation: 'book',
      store: transactionalStore(dynamoStore({ tableName: claims, aws })),
      key: () => 'a',
      onAbandoned: 'retry',
      onEvent: () => undefined,
    },
    (_, claim) => commit(claim, [dies.message(given)]),
  );
  await book(sqsEvent(order('a')), context());
  const { messages } = await outbox.store.list();
  for (const one of messages)
    await outbox.destinations.find(({ takes }) => takes(one.to))?.send(one, new AbortController().signal);
  await outboxRelay({ outbox })(
    {
      Records: messages.map(({ id, n }) => ({
        eventName: 'INSERT',
        dynamodb: { Keys: { id: { S: id }, n: { N: String(n) } } },
      })),
    },
    context(),
  );
  const left = await outbox.store.list();
  return { events, left: left.messages };
}

/** The bodies for which a consumer with `sentKey()` runs its handler. */
async function consumed(
  envelope: EnvelopeOption | undefined,
): Promise<{ received: number; bodies: readonly unknown[] }> {
  const client = localClient(inject('dynamoEndpoint'));
  onTestFinished(() => client.destroy());
  const bodies: unknown[] = [];
  const handler = eachMessage<unknown>(
    {
      operation: 'mail',
      store: dynamoStore({
        tableName: await claimsTable(client),
        aws: sdk({ dynamodb: client, sqs: clouds.queues.functionClient }),
      }),
      key: sentKey(),
      onAbandoned: 'park',
      onEvent: () => undefined,
      ...(envelope && { envelope }),
    },
    async ({ body }) => void bodies.push(body),
  );
  const { received, failed } = await clouds.queues.deliver((event) => handler(event, context()));
  expect(failed).toEqual([]);
  return { received, bodies };
}

/** The event bus in front of the queue, as a destination. */
async function busOf(answer?: Parameters<typeof startBus>[1]) {
  const { endpoint } = await startBus((event) => clouds.queues.send(event), answer);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const eventBridgeClient = new EventBridgeClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  onTestFinished(() => eventBridgeClient.destroy());
  return eventBuses({ eventBridgeClient });
}

describe('two copies of a message have one effect', () => {
  it.each([
    ['snsEnvelope()', false, snsEnvelope()],
    ['raw message delivery', true, undefined],
  ])('behind a topic with %s', async (_, raw, envelope) => {
    await clouds.topic('orders', { raw });
    const destinations = [topics({ snsClient: clouds.sns })];
    const { left } = await sendTwice(
      { destinations },
      { to: topicArn, key: 'k', body: { a: 1 }, attributes: { kind: 'x' } },
    );
    expect(left).toEqual([]);
    expect(await consumed(envelope)).toEqual({ received: 2, bodies: [{ a: 1 }] });
  });

  it('behind a rule of an event bus, with the detail as it was given', async () => {
    const destinations = [await busOf()];
    const given = {
      to: busArn,
      key: 'k',
      body: { a: 12345678901234567890n.toString() },
      source: 'shop',
      detailType: 'Paid',
    };
    const { left } = await sendTwice({ destinations }, given);
    expect(left).toEqual([]);
    const detail = { 'idempotency-key': 'k', a: '12345678901234567890' };
    expect(await consumed(eventBridgeEnvelope())).toEqual({ received: 2, bodies: [detail] });
  });

  it('behind a pointer to S3, where the body is too large for an item', async () => {
    const large = { text: 'x'.repeat(500_000) };
    const destinations = [queues({ aws: sdk({ sqs: clouds.queues.functionClient }) })];
    const kept = largeBodies({ s3Client: clouds.s3, bucket: clouds.bucket });
    const { left } = await sendTwice(
      { destinations, largeBodies: kept },
      { to: clouds.queues.orders.url, key: 'k', body: large },
    );
    expect(left).toEqual([]);
    const [{ messageAttributes } = { messageAttributes: {} }] = await clouds.queues.messages(clouds.queues.orders);
    expect(messageAttributes).toMatchObject({
      ExtendedPayloadSize: { StringValue: String(JSON.stringify(large).length) },
    });
    expect(await consumed(largePayload({ s3Client: clouds.s3, buckets: [clouds.bucket] }))).toEqual({
      received: 2,
      bodies: [large],
    });
  });
});

describe('an entry that an event bus does not take', () => {
  it('parks its message where it is refused for good, and waits where that passes', async () => {
    const given = { to: busArn, key: 'k', body: {}, source: 'shop', detailType: 'Paid' };
    for (const [entry, type] of [
      [{ ErrorCode: 'InvalidArgument', ErrorMessage: 'no' }, 'message-parked'],
      [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'no' }, 'message-not-sent'],
      [{ ErrorCode: 'InternalFailure', ErrorMessage: 'no' }, 'message-not-sent'],
      // Neither confirmed nor refused.
      [{}, 'message-not-sent'],
    ] as const) {
      const bus = await busOf(() => entry);
      const client = localClient(inject('dynamoEndpoint'));
      onTestFinished(() => client.destroy());
      const events: string[] = [];
      const outbox = dynamoOutbox({
        tableName: await outboxTable(client),
        aws: sdk({ dynamodb: client }),
        destinations: [bus],
        onEvent: (event) => void events.push(event.type),
      });
      const { writes, sendNow } = await outbox.prepare([outbox.message(given)]);
      const documents = DynamoDBDocumentClient.from(client);
      await documents.send(new TransactWriteCommand({ TransactItems: [...writes] }));
      await sendNow(10_000);
      expect(events).toEqual([type]);
    }
  });
});
