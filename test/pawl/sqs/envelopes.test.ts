import { gunzipSync, gzipSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type ClaimEvent,
  canonicalJson,
  InvalidMessageError,
  memoryStore,
  OptionError,
  RejectedError,
} from '../../../lib/pawl/index.ts';
import { largePayload } from '../../../lib/pawl/payload/envelopes/large-payload.ts';
import {
  bodyField,
  type DeadLetters,
  decoded,
  eachMessage,
  eventBridgeEnvelope,
  type Message,
  messageAttribute,
  type S3ObjectEvent,
  type SqsOptions,
  s3EventKey,
  s3Events,
  sentKey,
  snsEnvelope,
} from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { eventually } from '../../support/eventually.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { eventBridgeEvent, s3Record, s3TestEvent, snsNotification } from '../../support/notifications.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A consumer on a store and a clock of its own, that notes what its handler saw, and what it dead-lettered. */
function setUp<Body>(
  options: Partial<SqsOptions<Body>> & Pick<SqsOptions<Body>, 'key'>,
  effect: (body: Body) => unknown = () => undefined,
) {
  const store = memoryStore();
  const host = virtualHost();
  const seen: Message<Body>[] = [];
  const events: ClaimEvent[] = [];
  const buried: { body: string; reason: string; error: string }[] = [];
  const deadLetters: DeadLetters = {
    async send(_, { body }, reason, error) {
      buried.push({ body, reason, error });
    },
  };
  const handler = eachMessage<Body>(
    {
      operation: 'issue-card',
      aws: noQueue,
      store,
      onAbandoned: 'retry',
      backoffSeconds: () => undefined,
      onEvent: (event) => events.push(event),
      deadLetters,
      host,
      ...options,
    },
    async (message) => {
      seen.push(message);
      return effect(message.body);
    },
  );
  const call = (...records: ReturnType<typeof sqsRecord>[]) => handler(sqsEvent(...records), context(30_000, host.now));
  const bodies = () => seen.map(({ body }) => body);
  return { store, host, seen, bodies, events, buried, call };
}

/** A client of a queue with this redrive policy. */
const queueWith = (policy: object) =>
  Object.assign(new SQSClient({ region: 'us-east-1' }), {
    send: async () => ({ Attributes: { RedrivePolicy: JSON.stringify(policy) } }),
  });

/** A client of S3 whose requests end like this. */
const clientThat = (send: () => Promise<never>) => Object.assign(new S3Client({ region: 'us-east-1' }), { send });

type Order = { readonly orderId: string };
const byOrder = { key: bodyField('orderId') };
const order = { orderId: 'o-1', amount: 5 };

describe('a notification of SNS', () => {
  it('is run once, though its producer publishes one intent twice', async () => {
    const { call, bodies } = setUp<Order>({ ...byOrder, envelope: snsEnvelope() });
    const first = sqsRecord(snsNotification(order, { MessageId: 'a', Timestamp: '2026-11-21T09:30:00.000Z' }));
    const second = sqsRecord(snsNotification(order, { MessageId: 'b', Timestamp: '2026-11-21T09:31:00.000Z' }));
    expect(failuresOf(await call(first))).toEqual([]);
    expect(failuresOf(await call(second))).toEqual([]);
    expect(bodies()).toEqual([order]);
  });

  it('is refused under its key if another intent is inside', async () => {
    const { call, buried } = setUp<Order>({ ...byOrder, envelope: snsEnvelope() });
    await call(sqsRecord(snsNotification(order)));
    const other = sqsRecord(snsNotification({ ...order, amount: 6 }));
    expect(failuresOf(await call(other))).toEqual([]);
    expect(buried).toMatchObject([{ body: other.body, reason: 'key-reused' }]);
  });

  it('that was claimed before the consumer had the envelope is done, where the rule before is given', async () => {
    const key = ({ record }: Message<unknown>) => JSON.parse(JSON.parse(record.body).Message).orderId;
    const before = setUp({ key, envelope: [] });
    const record = sqsRecord(snsNotification(order));
    await before.call(record);
    const previous = {
      of: ({ record: { body } }: Message<unknown>) => canonicalJson(body),
      until: '2027-01-31T00:00:00Z',
    };
    const options = { key, envelope: snsEnvelope(), store: before.store };
    const after = setUp({ ...options, fingerprint: { ignore: [], previous } });
    expect(failuresOf(await after.call(record))).toEqual([]);
    expect([after.bodies(), after.buried]).toEqual([[], []]);
    const without = setUp(options);
    await without.call(record);
    expect(without.buried).toMatchObject([{ reason: 'key-reused' }]);
  });

  it('tells numbers inside it apart that a double cannot hold', async () => {
    const { call, buried } = setUp<Order>({ ...byOrder, envelope: snsEnvelope() });
    await call(sqsRecord(snsNotification('{"orderId":"o-1","n":9007199254740993}')));
    await call(sqsRecord(snsNotification('{"orderId":"o-1","n":9007199254740992}')));
    expect(buried).toMatchObject([{ reason: 'key-reused' }]);
  });

  it('gives the handler its topic and subject, and key functions the attributes of the publication', async () => {
    const MessageAttributes = {
      'idempotency-key': { Type: 'String', Value: 'k-1' },
      tenant: { Type: 'String', Value: 't-1' },
      seal: { Type: 'Binary', Value: 'AQI=' },
    };
    const { call, seen, store } = setUp({ key: sentKey(), envelope: snsEnvelope() });
    const record = sqsRecord(snsNotification(order, { Subject: 'Order placed', MessageAttributes }));
    expect(failuresOf(await call(record))).toEqual([]);
    expect(store.records()).toMatchObject([{ id: 'issue-card#k-1' }]);
    const [message] = seen;
    expect(message?.metadata).toEqual({
      sns: {
        topicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
        messageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
        subject: 'Order placed',
        timestamp: '2026-11-21T09:30:00.000Z',
      },
    });
    expect(message && messageAttribute('tenant')(message)).toBe('t-1');
    expect(message?.messageAttributes['seal']).toEqual({ dataType: 'Binary', binaryValue: 'AQI=' });
    expect(message?.record.body).toBe(record.body);
    expect(message?.record.messageAttributes).toEqual({});
  });

  it('has the attributes of SQS with raw message delivery, without an envelope', async () => {
    const { call, store, seen } = setUp({ key: sentKey() });
    const messageAttributes = { 'idempotency-key': { dataType: 'String', stringValue: 'k-2' } };
    await call(sqsRecord(order, { messageAttributes }));
    expect(store.records()).toMatchObject([{ id: 'issue-card#k-2' }]);
    expect(seen[0]?.metadata).toEqual({});
  });

  it.each([
    ['another document', order, 'got JSON without its Type, TopicArn and Message'],
    ['a text', 'hello', 'got text that is not JSON'],
    ['a list', '[]', 'got JSON without its Type, TopicArn and Message'],
    ['null', 'null', 'got JSON without its Type, TopicArn and Message'],
    [
      'a confirmation of a subscription',
      snsNotification('', { Type: 'SubscriptionConfirmation' }),
      'got a SubscriptionConfirmation of SNS',
    ],
    ['an event of EventBridge', eventBridgeEvent(order), 'got JSON without its Type, TopicArn and Message'],
  ])('that is %s is dead-lettered with the reason, as it was sent', async (_, body, got) => {
    const { call, buried, bodies } = setUp<Order>({ ...byOrder, envelope: snsEnvelope() });
    const record = sqsRecord(body);
    expect(failuresOf(await call(record, sqsRecord(snsNotification(order))))).toEqual([]);
    const error = `InvalidMessageError: expected an SNS notification; ${got}. See node_modules/pawl/docs/errors.md#invalid-message`;
    expect(buried).toEqual([{ body: record.body, reason: 'invalid-message', error }]);
    expect(bodies()).toEqual([order]);
  });

  it('with something inside that is no JSON is dead-lettered, and nothing of it is quoted', async () => {
    const { call, buried } = setUp<Order>({ ...byOrder, envelope: snsEnvelope() });
    await call(sqsRecord(snsNotification('card 4242')));
    expect(buried).toMatchObject([
      {
        reason: 'invalid-message',
        error: 'InvalidMessageError: the body is not JSON. See node_modules/pawl/docs/errors.md#invalid-message',
      },
    ]);
  });
});

describe('an event of EventBridge', () => {
  it('is run once, though it is put twice, and gives the handler its source and type', async () => {
    const { call, seen } = setUp<Order>({ ...byOrder, envelope: eventBridgeEnvelope() });
    await call(sqsRecord(eventBridgeEvent(order, { id: 'a', time: '2026-11-21T09:30:00Z' })));
    await call(sqsRecord(eventBridgeEvent(order, { id: 'b', time: '2026-11-21T09:31:00Z', 'replay-name': 'r' })));
    expect(seen).toHaveLength(1);
    expect(seen[0]?.body).toEqual(order);
    expect(seen[0]?.metadata.eventBridge).toEqual({
      id: 'a',
      source: 'shop.orders',
      detailType: 'Order placed',
      account: '123456789012',
      region: 'us-east-1',
      time: '2026-11-21T09:30:00Z',
      resources: ['arn:aws:states:us-east-1:123456789012:stateMachine:orders'],
      replayName: undefined,
    });
  });

  it('tells numbers in its detail apart that a double cannot hold', async () => {
    const { call, buried } = setUp<Order>({ ...byOrder, envelope: eventBridgeEnvelope() });
    const event = (n: string) =>
      sqsRecord(JSON.stringify(eventBridgeEvent({ orderId: 'o-1', n: 0 })).replace('"n":0', `"n":${n}`));
    await call(event('9007199254740993'));
    await call(event('9007199254740992'));
    expect(buried).toMatchObject([{ reason: 'key-reused' }]);
  });

  it('that is something else is dead-lettered with the reason', async () => {
    const { call, buried } = setUp<Order>({ ...byOrder, envelope: eventBridgeEnvelope() });
    await call(sqsRecord(order));
    const error =
      'InvalidMessageError: expected an EventBridge event; got JSON without its source, detail-type and detail. See node_modules/pawl/docs/errors.md#invalid-message';
    expect(buried).toMatchObject([{ reason: 'invalid-message', error }]);
  });
});

describe('a notification of S3', () => {
  const s3 = { key: s3EventKey(), envelope: s3Events() };
  const objects = (...names: string[]) => ({
    Records: names.map((name) => s3Record(name, { sequencer: `5E-${name}` })),
  });

  it('runs each of its records, with its object and its own claim', async () => {
    const { call, seen, store } = setUp<S3ObjectEvent>(s3);
    expect(failuresOf(await call(sqsRecord(objects('a+b%C3%A4.png', 'c'))))).toEqual([]);
    expect(seen.map(({ body }) => body)).toEqual([
      {
        eventName: 'ObjectCreated:Put',
        bucket: 'uploads',
        key: 'a bä.png',
        versionId: '096fKKXTRTtl3on89fVO.nfljtsv6qko',
        sequencer: '5E-a+b%C3%A4.png',
        size: 1024,
        eTag: 'd41d8cd98f00b204e9800998ecf8427e',
      },
      expect.objectContaining({ key: 'c' }),
    ]);
    expect(seen[0]?.metadata.s3).toMatchObject({ bucket: 'uploads', key: 'a bä.png', region: 'us-east-1' });
    expect(seen[0]?.metadata.s3?.record).toMatchObject({
      responseElements: { 'x-amz-request-id': 'C3D13FE58DE4C810' },
    });
    expect(store.records().map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('comes again while one record is not done, and then runs that one only', async () => {
    let fails = true;
    const { call, bodies } = setUp<S3ObjectEvent>(s3, ({ key }) => {
      if (key === 'b' && fails) throw new Error('not yet');
    });
    const record = sqsRecord(objects('a', 'b', 'c'));
    expect(failuresOf(await call(record))).toEqual([record.messageId]);
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    fails = false;
    expect(failuresOf(await call(record))).toEqual([]);
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b', 'c', 'b']);
  });

  it('waits for a record that was running when its worker died, and runs alone after the others', async () => {
    let hangs = true;
    const { call, bodies, host } = setUp<S3ObjectEvent>(s3, ({ key }) => {
      return key === 'a' && hangs ? new Promise(() => undefined) : undefined;
    });
    const record = sqsRecord(objects('a', 'b'));
    // Its invocation ends, and its response reaches nothing.
    void call(record);
    await host.advance(40_000);
    hangs = false;
    const again = { ...record, attributes: { ApproximateReceiveCount: '2' } };
    expect(failuresOf(await call(again, sqsRecord(objects('c'))))).toEqual([]);
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('is dead-lettered once, as it was sent, when one record can never run and all others are done', async () => {
    let fails = true;
    const { call, buried } = setUp<S3ObjectEvent>(s3, ({ key }) => {
      if (key === 'b') throw new RejectedError('no image');
      if (key === 'c' && fails) throw new Error('not yet');
    });
    const record = sqsRecord(objects('a', 'b', 'c'));
    expect(failuresOf(await call(record))).toEqual([record.messageId]);
    expect(buried).toEqual([]);
    fails = false;
    expect(failuresOf(await call(record))).toEqual([]);
    expect(buried).toEqual([{ body: record.body, reason: 'rejected', error: 'RejectedError: no image' }]);
  });

  it('runs a record once that is in two messages, or twice in one, and another version of its object again', async () => {
    const { call, bodies } = setUp<S3ObjectEvent>(s3);
    await call(sqsRecord(objects('a', 'a', 'b')), sqsRecord(objects('b')));
    await call(sqsRecord({ Records: [s3Record('a', { sequencer: '5F' })] }));
    const ran = bodies().map(({ key, sequencer }) => `${key} ${sequencer}`);
    expect(ran.toSorted()).toEqual(['a 5E-a', 'a 5F', 'b 5E-b']);
  });

  it('is dead-lettered as key-reused where its record says something else under a key that is taken', async () => {
    const { call, buried, bodies } = setUp<S3ObjectEvent>({ ...s3, key: bodyField('key') });
    const other = sqsRecord({ Records: [s3Record('a', { sequencer: '5E' })] });
    expect(failuresOf(await call(sqsRecord(objects('a', 'b'))))).toEqual([]);
    expect(failuresOf(await call(other))).toEqual([]);
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b']);
    expect(buried).toMatchObject([{ body: other.body, reason: 'key-reused' }]);
  });

  it('without a sequencer has no key by s3EventKey()', async () => {
    const { call, buried } = setUp<S3ObjectEvent>(s3);
    await call(sqsRecord({ Records: [s3Record('a', { sequencer: undefined })] }));
    expect(buried).toMatchObject([{ reason: 'missing-key' }]);
  });

  it('that is the test event of a new notification is acknowledged, and runs nothing', async () => {
    const { call, bodies, buried } = setUp<S3ObjectEvent>(s3);
    expect(failuresOf(await call(sqsRecord(s3TestEvent)))).toEqual([]);
    expect({ bodies: bodies(), buried }).toEqual({ bodies: [], buried: [] });
  });

  it.each([
    ['without records', { Records: [] }],
    ['of another service', { Records: [{ eventName: 'INSERT', dynamodb: {} }] }],
    ['without an object', { Records: [{ ...s3Record('a'), s3: { bucket: { name: 'uploads' } } }] }],
  ])('%s is dead-lettered with the reason', async (_, body) => {
    const { call, buried } = setUp<S3ObjectEvent>(s3);
    await call(sqsRecord(body));
    expect(buried).toMatchObject([
      { reason: 'invalid-message', error: expect.stringContaining('expected a notification of S3') },
    ]);
  });

  it("under 'discard' is acknowledged where all its records run elsewhere, and their own message is not", async () => {
    const release = Promise.withResolvers<void>();
    const { call } = setUp<S3ObjectEvent>({ ...s3, onInFlight: 'discard' }, () => release.promise);
    const record = sqsRecord(objects('a', 'b'));
    const running = call(record);
    await eventually('both records run elsewhere', async () =>
      expect(failuresOf(await call(sqsRecord(objects('a', 'b'))))).toEqual([]),
    );
    expect(failuresOf(await call(record))).toEqual([record.messageId]);
    release.resolve();
    expect(failuresOf(await running)).toEqual([]);
  });

  it('of a message group of a FIFO queue runs its records in order, none behind one that comes again, and keeps the group', async () => {
    const { call, bodies } = setUp<S3ObjectEvent>(s3, ({ key }) => {
      if (key === 'b') throw new Error('not yet');
    });
    const first = sqsRecord(objects('a', 'b', 'c'), { group: 'g' });
    const second = sqsRecord(objects('d'), { group: 'g' });
    expect(failuresOf(await call(first, second))).toEqual([first.messageId, second.messageId].sort());
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('at the head of a message group that keeps failing is set aside as a whole, and only its failed records are parked', async () => {
    const { call, store, buried, bodies } = setUp<S3ObjectEvent>(
      { ...s3, aws: sdk({ sqs: queueWith({ maxReceiveCount: 4 }) }) },
      ({ key }) => {
        if (key === 'b') throw new Error('not yet');
      },
    );
    const head = sqsRecord(objects('a', 'b'), { group: 'g', receiveCount: 2 });
    const behind = sqsRecord(objects('c'), { group: 'g', receiveCount: 2 });
    expect(failuresOf(await call(head, behind))).toEqual([]);
    expect(bodies().map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect(buried).toMatchObject([{ body: head.body, reason: 'receives-used-up' }]);
    expect(store.records().map(({ status }) => status)).toEqual(['completed', 'parked', 'completed']);
  });

  it('works on at most `concurrency` records at once', async () => {
    let [running, most] = [0, 0];
    const { call } = setUp<S3ObjectEvent>({ ...s3, concurrency: 2 }, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    await call(sqsRecord(objects('a', 'b', 'c', 'd', 'e')), sqsRecord(objects('f', 'g')));
    expect(most).toBe(2);
  });
});

describe('decoded', () => {
  it('opens what its function understands: text and bytes are JSON, or the next envelope', async () => {
    const inflate = decoded(({ text }) => gunzipSync(Buffer.from(text, 'base64')));
    const zipped = (value: unknown) => gzipSync(JSON.stringify(value)).toString('base64');
    const plain = setUp<Order>({ ...byOrder, envelope: [snsEnvelope(), inflate] });
    await plain.call(sqsRecord(snsNotification(zipped(order), { MessageId: 'a' })));
    await plain.call(sqsRecord(snsNotification(zipped(order), { MessageId: 'b' })));
    expect(plain.bodies()).toEqual([order]);
    const around = setUp<Order>({ ...byOrder, envelope: [inflate, snsEnvelope()] });
    await around.call(sqsRecord(zipped(snsNotification(order))));
    expect(around.seen[0]).toMatchObject({ body: order, metadata: { sns: { subject: undefined } } });
  });

  it('takes any other value for the body, and compares it without loss', async () => {
    const parse = decoded(async ({ text }) => ({ orderId: 'o-1', n: BigInt(text), at: new Date(0) }));
    const { call, bodies, buried } = setUp({ key: bodyField('orderId'), envelope: parse });
    for (const n of ['9007199254740993', '9007199254740993', '9007199254740992']) await call(sqsRecord(n));
    expect(bodies()).toEqual([{ orderId: 'o-1', n: 9007199254740993n, at: new Date(0) }]);
    expect(buried).toMatchObject([{ reason: 'key-reused' }]);
  });

  it('sees the attributes of the envelopes around it', async () => {
    const encoding = decoded(({ text, messageAttributes }) =>
      messageAttributes['encoding']?.stringValue === 'base64' ? Buffer.from(text, 'base64') : text,
    );
    const MessageAttributes = { encoding: { Type: 'String', Value: 'base64' } };
    const { call, bodies } = setUp<Order>({ ...byOrder, envelope: [snsEnvelope(), encoding] });
    await call(
      sqsRecord(snsNotification(Buffer.from(JSON.stringify(order)).toString('base64'), { MessageAttributes })),
    );
    expect(bodies()).toEqual([order]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no schema 7');
      },
    ],
    ['rejects', () => Promise.reject(new Error('KMS is down'))],
    ['returns nothing', () => undefined],
    ['returns what has no canonical form', () => new Map()],
  ])('that %s is a bug of its author: the message comes again, and says where', async (_, decode) => {
    const { call, events, buried } = setUp({ key: () => 'k', envelope: decoded(decode) });
    const record = sqsRecord(order);
    expect(failuresOf(await call(record))).toEqual([record.messageId]);
    expect(events).toMatchObject([
      {
        type: 'author-error',
        stage: 'envelope',
        error: { message: expect.stringMatching(/ See node_modules\/pawl\/docs\/errors\.md#author-error$/) },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('schema 7');
    expect(buried).toEqual([]);
  });

  it('dead-letters what its function refuses with an InvalidMessageError', async () => {
    const decode = () => {
      throw new InvalidMessageError('invalid-message', 'not Avro');
    };
    const { call, buried } = setUp({ key: () => 'k', envelope: decoded(decode) });
    expect(failuresOf(await call(sqsRecord(order)))).toEqual([]);
    expect(buried).toMatchObject([
      {
        reason: 'invalid-message',
        error: 'InvalidMessageError: not Avro. See node_modules/pawl/docs/errors.md#invalid-message',
      },
    ]);
  });

  it('that returns bytes which are no text, or a value before another envelope, is found out', async () => {
    const bytes = setUp({ key: () => 'k', envelope: decoded(() => new Uint8Array([0xff])) });
    await bytes.call(sqsRecord(order));
    expect(bytes.buried).toMatchObject([
      {
        error:
          'InvalidMessageError: the body is not text: its bytes are no UTF-8. See node_modules/pawl/docs/errors.md#invalid-message',
      },
    ]);
    const inside = setUp({ key: () => 'k', envelope: [decoded(() => ({ a: 1 })), snsEnvelope()] });
    await inside.call(sqsRecord(order));
    const message = expect.stringContaining(
      'no envelope inside it can open: return text or bytes, or put decoded() last',
    );
    expect(inside.events).toMatchObject([{ type: 'author-error', stage: 'envelope', error: { message } }]);
  });

  it('that never settles is given up, and the message comes again', async () => {
    const { call, events, host } = setUp({ key: () => 'k', envelope: decoded(() => new Promise(() => undefined)) });
    const record = sqsRecord(order);
    const running = call(record);
    await host.advance(29_500);
    expect(failuresOf(await running)).toEqual([record.messageId]);
    expect(events).toMatchObject([{ type: 'payload-unavailable' }]);
  });

  it('is refused without a function', () => {
    expect(() => decoded('gzip' as never)).toThrow(OptionError);
  });
});

describe('a payload in S3 that cannot be read, at the head of a message group', () => {
  const pointer = { S3Payload: { Bucket: 'payloads', Key: 'k' } };
  const head = (receiveCount: number) => sqsRecord(pointer, { group: 'g', receiveCount });
  const consumer = (failure: object) =>
    setUp<Order>({
      ...byOrder,
      aws: sdk({ sqs: queueWith({ maxReceiveCount: 4 }) }),
      envelope: largePayload({ s3Client: clientThat(() => Promise.reject(Object.assign(new Error('no'), failure))) }),
    });

  it('keeps the group waiting while S3 cannot be reached: that is no failure of the message', async () => {
    const { call, bodies, buried, events } = consumer({ name: 'TimeoutError' });
    const [first, behind] = [head(3), sqsRecord(order, { group: 'g', receiveCount: 3 })];
    expect(failuresOf(await call(first, behind))).toEqual([first.messageId, behind.messageId].sort());
    expect({ bodies: bodies(), buried }).toEqual({ bodies: [], buried: [] });
    expect(events).toMatchObject([{ type: 'payload-unavailable', messageId: first.messageId }]);
  });

  it('is set aside once it has used half of the receives, where S3 refuses it each time', async () => {
    const { call, bodies, buried } = consumer({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    expect(failuresOf(await call(head(2), sqsRecord(order, { group: 'g', receiveCount: 2 })))).toEqual([]);
    expect(bodies()).toEqual([order]);
    expect(buried).toMatchObject([{ reason: 'receives-used-up' }]);
  });

  it('is dead-lettered in its place, where there is no such object', async () => {
    const { call, bodies, buried } = consumer({ name: 'NoSuchKey' });
    expect(failuresOf(await call(head(1), sqsRecord(order, { group: 'g' })))).toEqual([]);
    expect(bodies()).toEqual([order]);
    expect(buried).toMatchObject([{ reason: 'invalid-message', error: expect.stringContaining('NoSuchKey') }]);
  });
});

it('what a handler does to the attributes of its message does not show in the dead letter', async () => {
  const sent: unknown[] = [];
  const tenant = { dataType: 'String', stringValue: 't-1' };
  const handler = eachMessage<Order>(
    {
      operation: 'issue-card',
      aws: noQueue,
      store: memoryStore(),
      ...byOrder,
      onAbandoned: 'retry',
      deadLetters: { send: async (_, { messageAttributes }) => sent.push(structuredClone(messageAttributes)) },
      onEvent: () => undefined,
    },
    async ({ messageAttributes }) => {
      Object.assign(messageAttributes['tenant'] ?? {}, { stringValue: 'changed' });
      throw new RejectedError('no');
    },
  );
  await handler(sqsEvent(sqsRecord(order, { messageAttributes: { tenant: { ...tenant } } })), context());
  expect(sent).toEqual([{ tenant }]);
});

it('envelopes nest: a notification of S3, published by SNS', async () => {
  const { call, seen } = setUp<S3ObjectEvent>({ key: s3EventKey(), envelope: [snsEnvelope(), s3Events()] });
  const notification = { Records: [s3Record('a', { sequencer: '1' }), s3Record('b', { sequencer: '2' })] };
  expect(failuresOf(await call(sqsRecord(snsNotification(notification, { MessageId: 'a' }))))).toEqual([]);
  expect(failuresOf(await call(sqsRecord(snsNotification(notification, { MessageId: 'b' }))))).toEqual([]);
  expect(seen.map(({ body }) => body.key)).toEqual(['a', 'b']);
  expect(seen[0]?.metadata).toMatchObject({ sns: { messageId: 'a' }, s3: { key: 'a' } });
});

describe('a body that looks like an envelope, where there is none', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['snsEnvelope()', snsNotification({ orderId: 'secret' })],
    ['eventBridgeEnvelope()', eventBridgeEvent({ orderId: 'secret' })],
    ['s3Events()', { Records: [s3Record('secret')] }],
    [
      'largePayload({ s3Client })',
      ['software.amazon.payloadoffloading.PayloadS3Pointer', { s3BucketName: 'secret', s3Key: 'k' }],
    ],
    ['largePayload({ s3Client })', { S3Payload: { Id: 'k', Bucket: 'secret', Key: 'k.json', Location: 'https://…' } }],
  ])('is warned of once, with the option, and nothing of the body: %s', async (option, body) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { call } = setUp({ operation: `warned-${JSON.stringify(body).length}`, key: () => 'k' });
    await call(sqsRecord(order), sqsRecord(body), sqsRecord(body));
    await call(sqsRecord(body));
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain(`Set envelope: ${option}; or envelope: []`);
    expect(warn.mock.calls[0]?.[0]).not.toContain('secret');
  });

  it('is warned of once for an operation, although a crash sweep makes a consumer for each of its workers', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    for (const operation of ['first', 'first', 'second', 'first'])
      await setUp({ operation, key: () => 'k' }).call(sqsRecord(snsNotification(order)));
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('is not warned of where the author says that it is meant so, nor where there is an envelope', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await setUp({ key: () => 'k', envelope: [] }).call(sqsRecord(snsNotification(order)));
    await setUp({ key: () => 'k', envelope: snsEnvelope() }).call(sqsRecord(snsNotification(eventBridgeEvent(order))));
    expect(warn).not.toHaveBeenCalled();
  });
});

it.each([
  ['a function', snsEnvelope],
  ['a name', 'sns'],
  ['a list with a function', [snsEnvelope]],
])('the option is refused when it is %s', (_, envelope) => {
  expect(() => setUp({ key: () => 'k', envelope: envelope as never })).toThrow('envelope: expected snsEnvelope(),');
});
