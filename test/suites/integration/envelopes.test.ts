import { gunzipSync, gzipSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/index.ts';
import { openedMessage, sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { largePayload } from '../../../lib/pawl/payload/envelopes/large-payload.ts';
import {
  bodyField,
  deadLetterQueue,
  decoded,
  eachMessage,
  eventBridgeEnvelope,
  type Message,
  type S3ObjectEvent,
  type SqsEvent,
  type SqsOptions,
  s3EventKey,
  s3Events,
  sentKey,
  snsEnvelope,
} from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { startClouds } from '../../support/clouds.ts';
import { context } from '../../support/lambda.ts';
import { eventBridgeEvent, s3Record, snsNotification } from '../../support/notifications.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const dynamo = () => localClient(inject('dynamoEndpoint'));

let client: ReturnType<typeof dynamo>;
let tableName: string;
let clouds: Awaited<ReturnType<typeof startClouds>>;
beforeAll(async () => {
  client = dynamo();
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());
beforeEach(async () => {
  clouds = await startClouds();
  return () => clouds.stop();
});

let operations = 0;

/** A consumer of the queue on the real table, and what its handler saw. */
function consumer<Body>(
  options: Pick<SqsOptions<Body>, 'key' | 'envelope'>,
  effect: (body: Body) => unknown = () => undefined,
) {
  const seen: Message<Body>[] = [];
  const events: ClaimEvent[] = [];
  const handler = eachMessage<Body>(
    {
      operation: `issue-card-${++operations}`,
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
      onAbandoned: 'retry',
      deadLetters: deadLetterQueue(clouds.queues.deadLetters.url),
      aws: sdk({ sqs: clouds.queues.functionClient }),
      backoffSeconds: () => 0,
      onEvent: (event) => events.push(event),
      ...options,
    },
    (message) => {
      seen.push(message);
      return effect(message.body);
    },
  );
  const deliver = () => clouds.queues.deliver((event) => handler(event, context()));
  const bodies = () => seen.map(({ body }) => body);
  return { seen, bodies, events, deliver };
}

/** What the dead-letter queue holds: each body, and why it is there. */
async function buried() {
  const held = await clouds.queues.messages(clouds.queues.deadLetters);
  const attribute = (one: (typeof held)[number], name: string) => one.messageAttributes[name]?.StringValue;
  return held.map((one) => ({
    body: one.body,
    reason: attribute(one, 'pawl-reason'),
    error: attribute(one, 'pawl-error'),
  }));
}

type Order = { readonly orderId: string };
const order = { orderId: 'o-1', amount: 5 };
const byOrder = { key: bodyField('orderId') };
const large = { orderId: 'o-1', text: 'x'.repeat(2 * 2 ** 20) };
const pointerOfJava = (s3Key: string) => [
  'software.amazon.payloadoffloading.PayloadS3Pointer',
  { s3BucketName: clouds.bucket, s3Key },
];

describe('one intent that is published twice through SNS', () => {
  it('has one effect, and both messages are acknowledged', async () => {
    const publish = await clouds.topic('orders');
    await publish(order, {}, 'Order placed');
    await publish(order, {}, 'Order placed');
    const { deliver, seen } = consumer<Order>({ ...byOrder, envelope: snsEnvelope() });
    expect(await deliver()).toEqual({ received: 2, failed: [] });
    expect(seen.map(({ body }) => body)).toEqual([order]);
    expect(seen[0]?.metadata.sns).toMatchObject({
      topicArn: expect.stringMatching(/^arn:aws:sns:.*:orders$/),
      subject: 'Order placed',
    });
    expect(await buried()).toEqual([]);
  });

  it('is one intent by the key that its producer sent, as an attribute of SNS and with raw message delivery', async () => {
    const publish = await clouds.topic('orders');
    const publishRaw = await clouds.topic('raw-orders', { raw: true });
    const enveloped = consumer<Order>({ key: sentKey(), envelope: snsEnvelope() });
    for (let times = 0; times < 2; times++) await publish(order, { 'idempotency-key': 'k-1' });
    expect(await enveloped.deliver()).toEqual({ received: 2, failed: [] });
    expect(enveloped.bodies()).toEqual([order]);
    const raw = consumer<Order>({ key: sentKey() });
    for (let times = 0; times < 2; times++) await publishRaw(order, { 'idempotency-key': 'k-1' });
    expect(await raw.deliver()).toEqual({ received: 2, failed: [] });
    expect(raw.bodies()).toEqual([order]);
  });

  it('has one effect behind sqsOnce, whose handler gets the records as SQS delivered them', async () => {
    const publish = await clouds.topic('orders');
    await publish(order);
    await publish(order);
    const opened: unknown[] = [];
    const existing = async ({ Records }: SQSEvent) => {
      for (const record of Records) {
        const { body, metadata } = openedMessage<Order>(record);
        opened.push([body, JSON.parse(JSON.parse(record.body).Message), metadata.sns?.topicArn]);
      }
    };
    const handler = middy(existing, { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Order>({
        operation: `issue-card-${++operations}`,
        store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
        ...byOrder,
        envelope: snsEnvelope(),
        onAbandoned: 'retry',
        aws: sdk({ sqs: clouds.queues.functionClient }),
      }),
    );
    const deliver = () =>
      clouds.queues.deliver((event: SqsEvent) => handler(event as SQSEvent, context() as Context) as Promise<unknown>);
    expect(await deliver()).toEqual({ received: 2, failed: [] });
    expect(opened).toEqual([[order, order, expect.stringContaining(':orders')]]);
  });

  it('is committed once by eachTransaction', async () => {
    const publish = await clouds.topic('orders');
    await publish(order);
    await publish(order);
    const operation = `post-${++operations}`;
    const handler = eachTransaction<Order>(
      {
        operation,
        store: transactionalStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
        ...byOrder,
        envelope: snsEnvelope(),
        aws: sdk({ sqs: clouds.queues.functionClient }),
      },
      ({ body, metadata }) => [
        {
          Update: {
            TableName: tableName,
            Key: { id: `${operation}/${body.orderId}` },
            UpdateExpression: 'ADD times :one SET topic = :topic',
            ExpressionAttributeValues: { ':one': 1, ':topic': metadata.sns?.topicArn },
          },
        },
      ],
    );
    expect(await clouds.queues.deliver((event) => handler(event, context()))).toEqual({ received: 2, failed: [] });
    const Key = { id: `${operation}/o-1` };
    const { Item } = await DynamoDBDocumentClient.from(client).send(new GetCommand({ TableName: tableName, Key }));
    expect(Item).toMatchObject({ times: 1, topic: expect.stringContaining(':orders') });
  });
});

it('one event that is put twice on EventBridge has one effect, and both messages are acknowledged', async () => {
  await clouds.queues.send(eventBridgeEvent(order, { id: 'a' }));
  await clouds.queues.send(eventBridgeEvent(order, { id: 'b', time: '2026-11-21T09:31:00Z' }));
  const { deliver, seen } = consumer<Order>({ ...byOrder, envelope: eventBridgeEnvelope() });
  expect(await deliver()).toEqual({ received: 2, failed: [] });
  expect(seen.map(({ body, metadata }) => [body, metadata.eventBridge?.source])).toEqual([[order, 'shop.orders']]);
});

it('a notification of S3 with three objects, one of which fails, comes again for that one only', async () => {
  const Records = ['a', 'b', 'c'].map((key) => s3Record(key, { sequencer: `5E-${key}` }));
  const publish = await clouds.topic('uploads');
  await publish({ Records });
  let fails = true;
  const { deliver, bodies } = consumer<S3ObjectEvent>(
    { key: s3EventKey(), envelope: [snsEnvelope(), s3Events()] },
    ({ key }) => {
      if (key === 'b' && fails) throw new Error('not yet');
    },
  );
  expect(await deliver()).toMatchObject({ received: 1, failed: [expect.any(String)] });
  fails = false;
  expect(await deliver()).toEqual({ received: 1, failed: [] });
  expect(bodies().map(({ key }) => key)).toEqual(['a', 'b', 'c', 'b']);
});

describe('a payload of 2 MB behind a pointer', () => {
  const payload = () => largePayload({ s3Client: clouds.s3, buckets: [clouds.bucket] });

  it.each([
    ['of the extended clients', (key: string) => pointerOfJava(key)],
    [
      'of their versions before 1.1',
      (s3Key: string) => ['com.amazon.sqs.javamessaging.MessageS3Pointer', { s3BucketName: clouds.bucket, s3Key }],
    ],
    [
      'of sns-sqs-big-payload',
      (Key: string) => ({ S3Payload: { Id: Key, Bucket: clouds.bucket, Key, Location: `https://s3/${Key}` } }),
    ],
  ])('%s has one effect, though each send has an object of its own', async (_, pointerTo) => {
    for (const key of ['first', 'second']) {
      await clouds.put(key, JSON.stringify(large));
      await clouds.queues.send(pointerTo(key), { ExtendedPayloadSize: '2097180' });
    }
    const { deliver, seen } = consumer<Order>({ ...byOrder, envelope: payload() });
    expect(await deliver()).toEqual({ received: 2, failed: [] });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.body).toEqual(large);
    expect(seen[0]?.metadata.largePayload).toMatchObject({ bucket: clouds.bucket });
  });

  it('is read inside SNS, and decoded from what is in S3', async () => {
    const publish = await clouds.topic('orders');
    for (const key of ['first', 'second']) {
      await clouds.put(key, gzipSync(JSON.stringify(large)));
      await publish(pointerOfJava(key), { ExtendedPayloadSize: '2097180' });
    }
    const inflated = decoded(({ bytes }) => gunzipSync(bytes));
    const { deliver, bodies } = consumer<Order>({ ...byOrder, envelope: [snsEnvelope(), payload(), inflated] });
    expect(await deliver()).toEqual({ received: 2, failed: [] });
    expect(bodies()).toEqual([large]);
  });

  it('is not needed: a message without a pointer is taken as it is', async () => {
    await clouds.queues.send(order);
    const { deliver, seen } = consumer<Order>({ ...byOrder, envelope: payload() });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(seen).toMatchObject([{ body: order, metadata: {} }]);
  });

  it.each([
    ['that does not exist', (key: string) => pointerOfJava(key), 'there is no such object (NoSuchKey)'],
    [
      'in another bucket',
      (s3Key: string) => [pointerOfJava(s3Key)[0], { s3BucketName: 'others', s3Key }],
      'expected a pointer to one of the `buckets` of S3; got a pointer to another one',
    ],
  ])('%s is dead-lettered with the reason, as it was sent', async (_, pointerTo, error) => {
    const body = JSON.stringify(pointerTo('missing'));
    await clouds.queues.send(body);
    const { deliver } = consumer<Order>({ ...byOrder, envelope: payload() });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(await buried()).toEqual([{ body, reason: 'invalid-message', error: expect.stringContaining(error) }]);
  });

  it('that is larger than maxBytes is dead-lettered unread', async () => {
    await clouds.put('large', JSON.stringify(large));
    await clouds.queues.send(pointerOfJava('large'));
    const envelope = largePayload({ s3Client: clouds.s3, maxBytes: 2 ** 20 });
    const { deliver } = consumer<Order>({ ...byOrder, envelope });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(await buried()).toMatchObject([
      { reason: 'invalid-message', error: expect.stringContaining('larger than maxBytes, which is 1048576') },
    ]);
  });

  it('marked as in S3, but without a pointer, is dead-lettered', async () => {
    await clouds.queues.send(order, { ExtendedPayloadSize: '7' });
    const { deliver } = consumer<Order>({ ...byOrder, envelope: payload() });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(await buried()).toMatchObject([
      { reason: 'invalid-message', error: expect.stringContaining('expected a pointer to a payload in S3') },
    ]);
  });

  it('comes again while S3 cannot be reached or refuses, and runs when it can be read', async () => {
    await clouds.put('key', JSON.stringify(large));
    await clouds.queues.send(pointerOfJava('key'));
    const unreachable = new S3Client({
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      forcePathStyle: true,
      maxAttempts: 1,
    });
    const down = consumer<Order>({ ...byOrder, envelope: largePayload({ s3Client: unreachable }) });
    expect(await down.deliver()).toMatchObject({ received: 1, failed: [expect.any(String)] });
    expect(down.events).toMatchObject([
      { type: 'payload-unavailable', error: { message: expect.any(String) } },
      { type: 'waiting', messages: 1 },
    ]);
    unreachable.destroy();

    const up = consumer<Order>({ ...byOrder, envelope: payload() });
    expect(await up.deliver()).toEqual({ received: 1, failed: [] });
    expect(up.bodies()).toEqual([large]);
    expect(await buried()).toEqual([]);
  });

  it('in a bucket that S3 refuses comes again: that is no fact about the message', async () => {
    const [name] = pointerOfJava('key');
    await clouds.queues.send([name, { s3BucketName: 'no-such-bucket', s3Key: 'key' }]);
    const { deliver, events } = consumer<Order>({ ...byOrder, envelope: largePayload({ s3Client: clouds.s3 }) });
    expect(await deliver()).toMatchObject({ received: 1, failed: [expect.any(String)] });
    expect(events).toMatchObject([
      { type: 'payload-unavailable', error: { name: 'NoSuchBucket' } },
      { type: 'waiting', messages: 1 },
    ]);
    expect(await buried()).toEqual([]);
  });
});

it('a message in no or in another envelope is dead-lettered with the reason, and its bytes are those that were sent', async () => {
  const sent = ['{ "orderId" : "o-1",\n "n": 12345678901234567890 }', JSON.stringify(eventBridgeEvent(order)), 'hello'];
  for (const body of sent) await clouds.queues.send(body);
  await clouds.queues.send(snsNotification(order));
  const { deliver, bodies } = consumer<Order>({ ...byOrder, envelope: snsEnvelope() });
  expect(await deliver()).toEqual({ received: 4, failed: [] });
  expect(bodies()).toEqual([order]);
  const copies = await buried();
  expect(copies.map(({ body }) => body).toSorted()).toEqual(sent.toSorted());
  for (const { reason, error } of copies) {
    expect({ reason, error }).toEqual({
      reason: 'invalid-message',
      error: expect.stringContaining('expected an SNS notification; got'),
    });
  }
});
