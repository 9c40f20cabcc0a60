import middy, { type MiddlewareObj } from '@middy/core';
import eventNormalizer from '@middy/event-normalizer';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { openedMessage, sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, type DeadLetters, decoded, eventBridgeEnvelope, snsEnvelope } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { eventBridgeEvent, snsNotification } from '../../support/notifications.ts';

type Order = { readonly orderId: string };
const order = (orderId: string) => ({ orderId });
const published = (orderId: string, MessageId = orderId) => sqsRecord(snsNotification(order(orderId), { MessageId }));

function setUp(
  existing: (event: SQSEvent) => unknown,
  options: Partial<Parameters<typeof sqsOnce<Order>>[0]> = {},
  { around = [], inside = [] }: { readonly around?: MiddlewareObj[]; readonly inside?: MiddlewareObj[] } = {},
) {
  const store = memoryStore();
  const buried: { body: string; reason: string }[] = [];
  const deadLetters: DeadLetters = {
    async send(_, { body }, reason) {
      buried.push({ body, reason });
    },
  };
  const once = sqsOnce<Order>({
    operation: 'issue-card',
    aws: noQueue,
    store,
    key: bodyField('orderId'),
    envelope: snsEnvelope(),
    onAbandoned: 'retry',
    deadLetters,
    backoffSeconds: () => undefined,
    onEvent: () => undefined,
    ...options,
  });
  const handler = middy(async (event: SQSEvent) => existing(event), { timeoutEarlyInMillis: 0 }).use([
    ...around,
    once as MiddlewareObj,
    ...inside,
  ]);
  const call = (...records: ReturnType<typeof sqsRecord>[]) =>
    handler(sqsEvent(...records) as SQSEvent, context() as Context) as Promise<unknown>;
  return { store, buried, call };
}

/** A handler that was written for SNS before pawl: it opens the notification by itself. */
const byItself = (issued: string[]) => async (event: SQSEvent) => {
  for (const { body } of event.Records) issued.push(JSON.parse(JSON.parse(body).Message).orderId);
};

describe('sqsOnce with an envelope', () => {
  it('hands on the records as SQS delivered them, so that a handler which opens them by itself works as before', async () => {
    const issued: string[] = [];
    const { call } = setUp(byItself(issued));
    expect(failuresOf(await call(published('a', '1'), published('a', '2'), published('b')))).toEqual([]);
    expect(failuresOf(await call(published('a', '3')))).toEqual([]);
    expect(issued).toEqual(['a', 'b']);
  });

  it('has with each record what it has read of it: the body, its attributes and the metadata', async () => {
    const seen: unknown[] = [];
    const MessageAttributes = { tenant: { Type: 'String', Value: 't-1' } };
    const { call } = setUp(({ Records }) => {
      for (const record of Records) {
        const { body, metadata, messageAttributes, messageId } = openedMessage<Order>(record);
        seen.push([
          body,
          metadata.sns?.subject,
          messageAttributes['tenant']?.stringValue,
          messageId === record.messageId,
        ]);
      }
    });
    await call(sqsRecord(snsNotification(order('a'), { Subject: 'Order placed', MessageAttributes })));
    expect(seen).toEqual([[order('a'), 'Order placed', 't-1', true]]);
  });

  it('dead-letters what is in no envelope with the reason, as it was sent, and runs the rest', async () => {
    const issued: string[] = [];
    const { call, buried } = setUp(byItself(issued));
    const wrong = sqsRecord(order('a'));
    expect(failuresOf(await call(wrong, published('b')))).toEqual([]);
    expect(buried).toEqual([{ body: wrong.body, reason: 'invalid-message' }]);
    expect(issued).toEqual(['b']);
  });

  it('opens nested envelopes, and decodes', async () => {
    const envelope = [snsEnvelope(), decoded(({ text }) => Buffer.from(text, 'base64')), eventBridgeEnvelope()];
    const seen: unknown[] = [];
    const { call } = setUp(
      ({ Records }) => Records.map((one) => seen.push(openedMessage<Order>(one).body)) && undefined,
      { envelope },
    );
    const inner = Buffer.from(JSON.stringify(eventBridgeEvent(order('a')))).toString('base64');
    expect(failuresOf(await call(sqsRecord(snsNotification(inner))))).toEqual([]);
    expect(seen).toEqual([order('a')]);
  });

  it('returns a message whose decoder fails, without having claimed it', async () => {
    const envelope = decoded(() => Promise.reject(new Error('KMS is down')));
    const { call, store, buried } = setUp(() => expect.unreachable(), { envelope });
    const record = published('a');
    expect(failuresOf(await call(record))).toEqual([record.messageId]);
    expect([store.records(), buried]).toEqual([[], []]);
  });

  it('warns of a body that looks like an envelope where there is none', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const operation = 'issue-card-unopened';
    const { call } = setUp(() => undefined, { operation, envelope: [], key: () => 'k' });
    await call(published('a'));
    expect(warn).not.toHaveBeenCalled();
    await setUp(() => undefined, { operation, envelope: undefined, key: () => 'k' }).call(published('a'));
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});

describe('beside a middleware that parses bodies, and the notification in them', () => {
  const normalizer = eventNormalizer() as MiddlewareObj;

  it('works around it: the handler gets what that middleware makes, and pawl has read the text', async () => {
    const seen: unknown[] = [];
    const existing = ({ Records }: SQSEvent) => {
      for (const record of Records) seen.push([typeof record.body, openedMessage<Order>(record).body]);
    };
    const { call } = setUp(existing, {}, { inside: [normalizer] });
    expect(failuresOf(await call({ ...published('a'), ...eventSource }))).toEqual([]);
    expect(seen).toEqual([['object', order('a')]]);
  });

  it('is refused inside it, before anything is claimed', async () => {
    const { call, store } = setUp(() => expect.unreachable(), {}, { around: [normalizer] });
    await expect(call({ ...published('a'), ...eventSource })).rejects.toThrow(/another middleware has parsed it/);
    expect(store.records()).toEqual([]);
  });
});

/** By which the middleware knows what to parse. */
const eventSource = { eventSource: 'aws:sqs' };

it('openedMessage refuses a record that sqsOnce did not hand on', () => {
  expect(() => openedMessage(published('a'))).toThrow('expected a record that sqsOnce handed on');
});
