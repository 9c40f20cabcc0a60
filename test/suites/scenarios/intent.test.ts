import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { canonicalValue, type KeyValue, once } from '../../../lib/pawl/index.ts';
import {
  bodyField,
  compositeKey,
  deadLetterQueue,
  eachMessage,
  messageId,
  type SqsEvent,
} from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context, sqsRecord } from '../../support/lambda.ts';
import { type Order, order, queueServer, setUp } from './support.ts';

describe('5 · a handler that changes its event completes the key that it was given, and no other', () => {
  const forge = (record: object) =>
    Object.assign(record, { body: '{"orderId":"forged"}', messageId: 'forged', receiptHandle: 'forged' });

  it.each(['eachMessage', 'sqsOnce'])('with %s, whether it fails then or not', async (adapter) => {
    const { consumer, existing, read, count } = await setUp();
    const ledger: string[] = [];
    let fails = true;
    const end = () => {
      if (fails) throw new Error('declined for now');
    };
    const charge =
      adapter === 'eachMessage'
        ? consumer((message) => {
            ledger.push(message.body.orderId);
            Object.assign(message.body, { orderId: 'forged' });
            forge(Object.assign(message, { messageId: 'forged' }).record);
            end();
          })
        : existing((event: SQSEvent) => {
            ledger.push(...event.Records.map(({ body }) => JSON.parse(body).orderId));
            event.Records.forEach(forge);
            event.Records.reverse();
            event.Records.length = 1;
            end();
          });
    const [a, b] = [order('a'), order('b')];
    expect(await charge(a, b)).toEqual([a.messageId, b.messageId].sort());
    fails = false;
    expect(await charge(a, b)).toEqual([]);
    expect(await charge(order('a'), order('b'))).toEqual([]);
    expect(ledger.sort()).toEqual(['a', 'a', 'b', 'b']);
    expect(await read('a')).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await read('b')).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await count()).toBe(2);
  });

  it('with once', async () => {
    const { store, read, count } = await setUp();
    const ledger: string[] = [];
    const charge = once<Order, void>(
      { operation: 'charge-order', store, key: (input) => input.orderId, onAbandoned: 'retry' },
      (input) => {
        ledger.push(input.orderId);
        input.orderId = 'forged';
      },
    ).outcome;
    await charge({ orderId: 'a' });
    expect(await charge({ orderId: 'a' })).toMatchObject({ outcome: 'completed', replayed: true });
    expect(ledger).toEqual(['a']);
    expect(await read('a')).toMatchObject({ status: 'completed' });
    expect(await count()).toBe(1);
  });
});

describe('10 · two payloads have the same fingerprint exactly if they have the same meaning', () => {
  const reused = [{ reason: 'key-reused' }];

  it.each([
    ['key order, with cases mixed', '{"orderId":"a","b":1,"B":2}', '{"B":2,"orderId":"a","b":1}', []],
    ['what differs by case', '{"orderId":"a","b":1,"B":2}', '{"orderId":"a","b":2,"B":1}', reused],
    ['__proto__', '{"orderId":"a","__proto__":{"cents":1}}', '{"orderId":"a","__proto__":{"cents":2}}', reused],
    [
      'integers that JSON.parse rounds',
      '{"orderId":"a","n":9007199254740992}',
      '{"orderId":"a","n":9007199254740993}',
      reused,
    ],
  ])('%s', async (_, first, second, undeliverable) => {
    const { consumer, events } = await setUp();
    const ledger: string[] = [];
    const charge = consumer(({ body }) => ledger.push(body.orderId));
    expect(await charge(sqsRecord(first))).toEqual([]);
    expect(await charge(sqsRecord(second))).toHaveLength(undeliverable.length);
    expect(events.filter(({ type }) => type === 'undeliverable')).toMatchObject(undeliverable);
    expect(ledger).toEqual(['a']);
  });

  it.each([
    ['a BigInt counts, in all its digits', (cents: string) => ({ cents: BigInt(cents) }), ['key-reused'], ['a']],
    [
      // By the author's function, which is at fault for every message: none is dead-lettered for it.
      'a Map, which JSON empties, is refused',
      (cents: string) => new Map([['cents', cents]]),
      ['fingerprint', 'fingerprint'],
      [],
    ],
  ])('%s', async (_, intent, reasons, ran) => {
    const { consumer, events } = await setUp();
    const ledger: string[] = [];
    type Payment = { orderId: string; cents: string };
    const charge = consumer(({ body }) => ledger.push(body.orderId), {
      fingerprint: ({ body }) => canonicalValue(intent((body as unknown as Payment).cents)),
    });
    await charge(sqsRecord({ orderId: 'a', cents: '9007199254740992' }));
    await charge(sqsRecord({ orderId: 'a', cents: '9007199254740993' }));
    const told = events.flatMap((event) => {
      if (event.type === 'author-error') return [event.stage];
      return event.type === 'undeliverable' ? [event.reason] : [];
    });
    expect(told).toEqual(reasons);
    expect(ledger).toEqual(ran);
  });
});

describe('11 · a message without a key never runs, and never stands for another message', () => {
  it.each([
    ['one field', bodyField('orderId')],
    ['two fields, one of which is there', compositeKey(bodyField('amount'), bodyField('orderId'))],
  ])('with a key of %s, both go to the dead-letter queue', async (_, key) => {
    const { store, count } = await setUp();
    const queues = await queueServer();
    const ledger: unknown[] = [];
    const charge = eachMessage(
      {
        operation: 'charge-order',
        store,
        key,
        onAbandoned: 'retry',
        deadLetters: deadLetterQueue(queues.deadLetters.url),
        aws: sdk({ sqs: queues.functionClient }),
        onEvent: () => undefined,
      },
      ({ body }) => ledger.push(body),
    );
    await queues.send({ amount: 500 });
    await queues.send({ amount: 500 });
    expect(await queues.deliver((event: SqsEvent) => charge(event, context()))).toEqual({ received: 2, failed: [] });
    const { Records } = await queues.receive(queues.deadLetters);
    const reason = { messageAttributes: { 'pawl-reason': { stringValue: 'missing-key' } } };
    expect(Records).toMatchObject([reason, reason]);
    expect(ledger).toEqual([]);
    expect(await count()).toBe(0);
  });

  it('0 is a key like any other; an empty text identifies nothing', async () => {
    const { consumer, count } = await setUp();
    const ledger: unknown[] = [];
    const charge = consumer(({ body }) => ledger.push(body.orderId));
    expect(await charge(sqsRecord({ orderId: 0 }))).toEqual([]);
    expect(await charge(sqsRecord({ orderId: 0 }), sqsRecord({ orderId: '' }))).toHaveLength(1);
    expect(ledger).toEqual([0]);
    expect(await count()).toBe(1);
  });
});

describe('12 · a key is what the author says it is: a delivery, a second send or a redrive does not change it', () => {
  it('there is no key by default', async () => {
    const { store } = await setUp();
    const options = { operation: 'charge-order', store, onAbandoned: 'retry' } as const;
    // @ts-expect-error a key of pawl's choosing would be a guess at the author's intent
    expect(() => eachMessage(options, () => undefined)).toThrow(/^key: expected a function/);
  });

  it('no key contains a receipt handle, not even that of messageId()', async () => {
    const { consumer } = await setUp();
    const ledger: KeyValue[] = [];
    const charge = consumer((message) => ledger.push(message.messageId), { key: messageId() });
    const message = order('a');
    await charge({ ...message, receiptHandle: 'first' });
    expect(await charge({ ...message, receiptHandle: 'second' })).toEqual([]);
    expect(ledger).toEqual([message.messageId]);
  });

  it('a second send and a redrive, each under a message id of its own, are acknowledged without running', async () => {
    const { store, count } = await setUp();
    const queues = await queueServer(1);
    const ledger: string[] = [];
    const charge = eachMessage<Order>(
      { operation: 'charge-order', store, key: bodyField('orderId'), onAbandoned: 'park' },
      ({ body }) => ledger.push(body.orderId),
    );
    const deliver = () => queues.deliver((event: SqsEvent) => charge(event, context()));
    const original = await queues.send({ orderId: 'a' });
    // The effect happens, and the answer of the invocation is lost: nothing is deleted.
    const event = await queues.receive(queues.orders);
    expect(await charge(event, context())).toEqual({ batchItemFailures: [] });
    await queues.functionClient.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queues.orders.url,
        ReceiptHandle: event.Records[0]?.receiptHandle,
        VisibilityTimeout: 0,
      }),
    );
    // Its one receive is used up: SQS moves it to the dead-letter queue, from where somebody redrives it.
    expect(await deliver()).toEqual({ received: 0, failed: [] });
    const [dead] = (await queues.receive(queues.deadLetters)).Records;
    const redriven = await queues.send(dead?.body);
    const resent = await queues.send({ orderId: 'a' });
    expect(new Set([original, redriven, resent]).size).toBe(3);

    expect(await deliver()).toEqual({ received: 2, failed: [] });
    expect(ledger).toEqual(['a']);
    expect(await count()).toBe(1);
  });
});
