import type { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { memoryStore, OptionError } from '../../../lib/pawl/index.ts';
import {
  bodyField,
  compositeKey,
  eachMessage,
  entityKey,
  type Outgoing,
  requestKey,
  type SendOnceOptions,
  type SqsEvent,
  sendOnce,
  sentKey,
} from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { assertSurvivesCrashes } from '../../../lib/testing/index.ts';
import { context, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { firstOf } from '../../support/whole.ts';

type Sent = SendMessageCommand['input'];

const keyOf = ({ MessageAttributes }: Sent) => MessageAttributes?.['idempotency-key']?.StringValue;
const refund: Outgoing = { key: entityKey('payment', 1234, 'refund'), body: { payment: 1234 } };

/** A producer, and what its queue was given. `fails` says what SQS answers to the next tries. */
function producer(options: Partial<SendOnceOptions> = {}, fails: unknown[] = []) {
  const host = virtualHost();
  const store = memoryStore();
  const sent: Sent[] = [];
  const client = {
    async send({ input }: SendMessageCommand) {
      const failure = fails.shift();
      if (failure !== undefined) throw failure;
      return { MessageId: `m-${sent.push(input)}` };
    },
  };
  const settings: SendOnceOptions = {
    operation: 'refund',
    store,
    queueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/refunds',
    aws: sdk({ sqs: client as unknown as SQSClient }),
    onEvent: () => undefined,
    host,
    ...options,
  };
  const send = sendOnce(settings);
  /** Sends while the clock goes on by so many milliseconds. */
  async function within(ms: number, message: Outgoing) {
    const answer = send(message);
    answer.catch(() => undefined);
    await host.advance(ms);
    return answer;
  }
  return { host, store, sent, settings, send, within };
}

const answered = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });

describe('sendOnce', () => {
  it('keeps the key before it sends, and sends it along', async () => {
    const { send, sent, store } = producer();
    const keptBefore: string[] = [];
    const push = sent.push.bind(sent);
    sent.push = (...inputs) => {
      keptBefore.push(...store.records().map(({ status }) => status));
      return push(...inputs);
    };
    const key = 'payment/1234/refund';
    expect(await send(refund)).toEqual({ outcome: 'sent', key, messageId: 'm-1', replayed: false });
    expect(keptBefore).toEqual(['in-flight']);
    expect(sent.map(keyOf)).toEqual([key]);
    expect(sent[0]?.MessageBody).toBe('{"payment":1234}');
  });

  it('sends nothing when it is run again, and answers as before', async () => {
    const { send, sent, settings } = producer();
    await send(refund);
    const again = await sendOnce(settings)(refund);
    expect(again).toEqual({ outcome: 'sent', key: refund.key, messageId: 'm-1', replayed: true });
    expect(sent).toHaveLength(1);
  });

  it('sends the key that was kept first, whatever key a later run makes', async () => {
    const fails = Array(99).fill(new Error('socket hang up'));
    const { within, send, sent, store } = producer({}, fails);
    const intent = 'nightly/2026-11-21/customer-17';
    const run = () => ({ key: requestKey(), intent, body: {} });
    const first = run();
    await expect(within(60_000, first)).rejects.toThrow('socket hang up');
    expect(store.records()).toMatchObject([{ status: 'released', attributes: { key: first.key } }]);
    fails.length = 0;
    await within(60_000, run());
    expect(await send(run())).toMatchObject({ key: first.key, replayed: true });
    expect(sent.map(keyOf)).toEqual([first.key]);
  });

  it('backs off, further each time and never in step, and then rejects with the error of SQS', async () => {
    const at: number[] = [];
    const host = virtualHost();
    let chance = 0;
    const down = {
      send: async () => {
        at.push(host.now());
        throw answered('ServiceUnavailable', 503);
      },
    };
    const { send } = producer({
      host: { ...host, random: () => (chance = (chance + 0.37) % 1) },
      aws: sdk({ sqs: down as unknown as SQSClient }),
    });
    const answer = send(refund);
    answer.catch(() => undefined);
    await host.advance(60_000);
    await expect(answer).rejects.toThrow('ServiceUnavailable');
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits.length).toBeGreaterThan(5);
    for (const [round, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(Math.min(5000, 100 * 2 ** round) / 2);
      expect(wait).toBeLessThanOrEqual(Math.min(5000, 100 * 2 ** round) * 1.5);
    }
    expect(new Set(waits.map((wait, round) => wait / Math.min(5000, 100 * 2 ** round))).size).toBeGreaterThan(3);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeLessThan(30_000);
  });

  it.each(['AccessDenied', 'QueueDoesNotExist', 'InvalidMessageContents'])(
    'does not try again what SQS refuses: %s',
    async (name) => {
      const { send, sent, store } = producer({}, [answered(name, 400)]);
      const refused: unknown = await send(refund).catch((error: unknown) => error);
      // What an operator has to change is said, and SQS's own error is its cause.
      const { cause = refused } = refused as Error;
      expect(cause).toMatchObject({ name });
      expect(sent).toEqual([]);
      expect(store.records()[0]).toMatchObject({ status: 'released' });
      expect(store.records()[0]).toHaveProperty('unknownAt', undefined);
      expect(await send(refund)).toMatchObject({ outcome: 'sent', replayed: false });
    },
  );

  it.each([
    ['RequestThrottled', 403],
    ['ThrottlingException', 400],
    ['TooManyRequests', 429],
    ['InternalError', 500],
  ] as const)('tries again after what passes: %s', async (name, status) => {
    const { within } = producer({}, [answered(name, status)]);
    expect(await within(1000, refund)).toMatchObject({ outcome: 'sent' });
  });

  it('tries again while the claims cannot be reached, sends nothing meanwhile, and says so in the end', async () => {
    const kept = memoryStore();
    let down = true;
    const store = {
      read: kept.read,
      write: (write: Parameters<typeof kept.write>[0]) =>
        down ? Promise.reject(new Error('down')) : kept.write(write),
    };
    const { within, sent } = producer({ store });
    await expect(within(60_000, refund)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(sent).toEqual([]);
    down = false;
    expect(await within(1000, refund)).toMatchObject({ outcome: 'sent' });
  });

  it('waits for the lease of a producer that has died, and sends', async () => {
    const { host, settings, sent } = producer();
    const hangs = { send: () => new Promise(() => undefined) } as unknown as SQSClient;
    // Its time stands still from now on.
    const dead = virtualHost();
    void sendOnce({ ...settings, host: { ...dead, randomId: () => 'of-the-dead-one' }, aws: sdk({ sqs: hangs }) })(
      refund,
    );
    await host.advance(10);
    const second = sendOnce(settings)(refund);
    await host.advance(15_000);
    expect(await second).toMatchObject({ outcome: 'sent', replayed: false });
    expect(sent.map(keyOf)).toEqual([refund.key]);
  });

  it('answers that another one is at it, when it may not wait that long', async () => {
    const { host, settings, sent } = producer({ giveUpAfterMs: 1000 });
    const hangs = { send: () => new Promise(() => undefined) } as unknown as SQSClient;
    const first = expect(sendOnce({ ...settings, aws: sdk({ sqs: hangs }) })(refund)).rejects.toThrow(
      'SQS did not respond in time',
    );
    await host.advance(10);
    const second = sendOnce(settings)(refund);
    await host.advance(2000);
    await first;
    const outcome = await second;
    expect(outcome).toMatchObject({ outcome: 'in-flight' });
    expect(outcome.outcome === 'in-flight' && outcome.retryAfterMs).toBeGreaterThan(9000);
    expect(sent).toEqual([]);
  });

  it('refuses another body for the same intent, unless only what is ignored differs', async () => {
    const { send, sent } = producer({ ignore: ['sentAt'] });
    await send({ ...refund, body: { payment: 1234, sentAt: 1 } });
    expect(await send({ ...refund, body: { payment: 1234, sentAt: 2 } })).toMatchObject({ replayed: true });
    expect(await send({ ...refund, body: { payment: 1235, sentAt: 1 } })).toEqual({ outcome: 'key-reused' });
    expect(sent).toHaveLength(1);
  });

  it('gives FIFO queues a deduplication id made of operation and key, and other queues none', async () => {
    const standard = producer();
    await standard.send({ ...refund, delaySeconds: 5, attributes: { trace: 't-1' } });
    expect(standard.sent[0]).toMatchObject({
      MessageDeduplicationId: undefined,
      DelaySeconds: 5,
      MessageAttributes: { trace: { DataType: 'String', StringValue: 't-1' } },
    });
    const ids: unknown[] = [];
    for (const [operation, key] of [
      ['refund', 'a'],
      ['refund', 'a'],
      ['refund', 'b'],
      ['charge', 'a'],
    ] as const) {
      const { send, sent } = producer({ operation, queueUrl: 'https://sqs/refunds.fifo' });
      await send({ key, body: {}, messageGroupId: 'customer-17' });
      expect(sent[0]).toMatchObject({ MessageGroupId: 'customer-17' });
      ids.push(sent[0]?.MessageDeduplicationId);
    }
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toMatch(/^[\da-f]{64}$/);
  });

  it('keeps its keys apart from those of a consumer with the same operation, store and key', async () => {
    const { send, sent, store } = producer();
    await send(refund);
    const handled: unknown[] = [];
    const consumer = eachMessage({ operation: 'refund', store, key: sentKey(), onAbandoned: 'retry' }, ({ body }) => {
      handled.push(body);
    });
    const stringValue = keyOf(sent[0] as Sent);
    const record = () =>
      sqsRecord(sent[0]?.MessageBody, {
        messageAttributes: { 'idempotency-key': { dataType: 'String', stringValue } },
      });
    expect(await consumer(sqsEvent(record(), record()), context())).toEqual({ batchItemFailures: [] });
    expect(handled).toEqual([{ payment: 1234 }]);
  });

  it.each([undefined, null, '', Number.MAX_SAFE_INTEGER + 1])('sends nothing without a key: %s', async (key) => {
    const { send, sent, store } = producer();
    await expect(send({ key, body: {} })).rejects.toMatchObject({ name: 'InvalidMessageError' });
    expect([sent, store.records()]).toEqual([[], []]);
  });

  it('parks what could not be sent within the retry window, and says so', async () => {
    const { within, host } = producer({}, Array(99).fill(new Error('socket hang up')));
    await within(60_000, refund).catch(() => undefined);
    await host.advance(15 * 24 * 3600_000);
    expect(await within(0, refund)).toMatchObject({ outcome: 'parked', error: { name: 'retry-window-over' } });
  });

  it.each([{ queueUrl: 17 as never }, { operation: '' }, { giveUpAfterMs: -1 }, { store: undefined as never }])(
    'refuses an option that is missing or wrong: %j',
    (options) => {
      expect(() => producer(options)).toThrow(OptionError);
    },
  );
});

describe('entityKey', () => {
  it('keeps its parts apart, and refuses one that is missing', () => {
    expect(entityKey('payment', 1234, 'refund')).toBe('payment/1234/refund');
    expect(entityKey('a', 'b/c')).not.toBe(entityKey('a/b', 'c'));
    for (const part of [undefined, null, '', 2 ** 60]) expect(() => entityKey('payment', part)).toThrow('key');
  });

  it('is the key that compositeKey takes from a body with the same fields', () => {
    const key = compositeKey(bodyField('customer'), bodyField('month'));
    expect(entityKey('c/17', 11)).toBe(key({ body: { customer: 'c/17', month: 11 } } as never));
  });
});

it('a producer killed at every await and run again: one effect per intent', async () => {
  const report = await assertSurvivesCrashes({
    // A scheduler runs the producer; the second message is the same job, started twice.
    messages: [{ body: { customer: 'c-1' } }, { body: { customer: 'c-2' } }, { body: { customer: 'c-1' } }],
    provider: () => [] as Sent[],
    handler: (world, queue) => {
      const client = { send: ({ input }: SendMessageCommand) => world.io('queue.send', () => queue.push(input)) };
      const send = sendOnce({
        ...world.options,
        operation: 'bill',
        queueUrl: 'https://sqs/bills',
        aws: sdk({ sqs: client as unknown as SQSClient }),
      });
      return (async ({ Records }: SqsEvent) => {
        for (const { body } of Records) {
          const job = JSON.parse(body);
          const { outcome } = await send({ key: requestKey(), intent: job.customer, body: job });
          if (outcome !== 'sent') throw new Error(outcome);
        }
      }) as (event: never) => unknown;
    },
    // The consumer has one effect for each key.
    effects: (queue, { body }) =>
      new Set(queue.filter(({ MessageBody }) => MessageBody === JSON.stringify(body)).map(keyOf)).size,
    functionTimeoutMs: 60_000,
    maxReceiveCount: 10,
    max: firstOf(400, { first: 80 }),
  });
  expect(report.boundaries).toContain('queue.send');
  expect(report.fates.acknowledged).toBeGreaterThan(report.runs * 2);
});
