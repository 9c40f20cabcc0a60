import type { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore, OptionError, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import {
  bodyField,
  eachMessage,
  type InvocationContext,
  type SqsEvent,
  type SqsOptions,
} from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string };

/** Consumers of one queue, whose calls to SQS are written down. How SQS takes them is `test/suites/integration/visibility.test.ts`. */
function setUp(options: Partial<SqsOptions<Order>> = {}, random = 0.5) {
  const host = { ...virtualHost(), random: () => random };
  const store = memoryStore();
  const asked: { receipt: string; seconds: number }[][] = [];
  const sqs = {
    async send({ input }: ChangeMessageVisibilityBatchCommand) {
      const entries = input.Entries ?? [];
      asked.push(
        entries.map(({ ReceiptHandle = '', VisibilityTimeout = -1 }) => ({
          receipt: ReceiptHandle,
          seconds: VisibilityTimeout,
        })),
      );
      return {};
    },
  } as unknown as SQSClient;
  const aws = sdk({ sqs });
  const consumer = (handle: (orderId: string) => unknown, on: Host = host) =>
    eachMessage<Order>(
      {
        operation: 'send-email',
        aws,
        store,
        key: bodyField('orderId'),
        onAbandoned: 'retry',
        onEvent: () => undefined,
        ...options,
        host: on,
      },
      ({ body }) => handle(body.orderId),
    );
  const { onEvent = () => undefined } = options;
  return { host, store, aws, onEvent, asked, consumer, context: () => context(30_000, host.now) };
}

const order = (orderId: string, receiveCount = 1) =>
  sqsRecord({ orderId }, { messageId: orderId, receiptHandle: orderId, receiveCount });
const fails = () => Promise.reject(new Error('no'));

describe('what waits is reported', () => {
  const sent = (orderId: string, ageMs: number | undefined, now: number) => {
    const message = order(orderId);
    const SentTimestamp = ageMs === undefined ? undefined : String(now - ageMs);
    return { ...message, attributes: { ...message.attributes, ...(SentTimestamp && { SentTimestamp }) } };
  };

  it('once a batch, by the oldest message, with the age that it has when it comes again', async () => {
    const events: ClaimEvent[] = [];
    const { consumer, host, asked, ...rest } = setUp({
      onEvent: (event) => events.push(event),
      backoffSeconds: () => 60,
    });
    const batch = [sent('a', 1000, host.now()), sent('b', 5000, host.now()), sent('c', 9000, host.now())];
    await consumer((orderId) => (orderId === 'c' ? 'done' : fails()))(sqsEvent(...batch), rest.context());
    const waiting = events.filter(({ type }) => type === 'waiting');
    const hiddenSeconds = asked.flat().find(({ receipt }) => receipt === 'b')?.seconds ?? 0;
    expect(hiddenSeconds).toBeGreaterThan(0);
    expect(waiting).toMatchObject([
      { id: 'send-email#b', messageId: 'b', messages: 2, oldestMs: 5000 + hiddenSeconds * 1000 },
    ]);
  });

  it('and not where all is done, nor where the age is not known', async () => {
    const events: ClaimEvent[] = [];
    const { consumer, host, ...rest } = setUp({ onEvent: (event) => events.push(event) });
    await consumer(() => 'done')(sqsEvent(sent('a', 1000, host.now())), rest.context());
    await consumer(fails)(sqsEvent(sent('b', undefined, host.now())), rest.context());
    expect(events.map(({ type }) => type)).toContain('released');
    expect(events.map(({ type }) => type)).not.toContain('waiting');
  });
});

describe('a message that failed stays invisible', () => {
  it('for longer with every receive, up to a quarter of an hour', async () => {
    const { consumer, asked, context } = setUp();
    const counts = [1, 2, 3, 4, 5, 6, 9];
    await consumer(fails)(sqsEvent(...counts.map((count) => order(`o-${count}`, count))), context());
    expect(asked.flat().map(({ seconds }) => seconds)).toEqual([10, 30, 90, 270, 810, 900, 900]);
  });

  it('for as long as SQS takes, however long it is to wait: 12 hours from the receive, which was before the invocation', async () => {
    const { consumer, asked, context } = setUp();
    const busy = () => Promise.reject(new RetryableError('locked', { retryAfterMs: 30 * 24 * 3_600_000 }));
    await consumer(busy)(sqsEvent(order('a')), context());
    const [longestWindow, longestInvocation] = [300, 900];
    expect(asked).toEqual([[{ receipt: 'a', seconds: 43_200 - longestWindow - longestInvocation }]]);
  });

  it.each([
    [0, 8],
    [1, 13],
  ])('a quarter more or less, so that not all come back at once: %d', async (random, seconds) => {
    const { consumer, asked, context } = setUp({}, random);
    await consumer(fails)(sqsEvent(order('a')), context());
    expect(asked).toEqual([[{ receipt: 'a', seconds }]]);
  });

  it('as the author says; not at all after 0; as the queue says after nothing', async () => {
    const said = [20, 0, undefined];
    const { consumer, asked, context } = setUp({ backoffSeconds: (count) => said[count - 1] });
    await consumer(fails)(sqsEvent(order('a', 1), order('b', 2), order('c', 3)), context());
    expect(asked).toEqual([
      [
        { receipt: 'a', seconds: 20 },
        { receipt: 'b', seconds: 0 },
      ],
    ]);
  });

  it('and the batch is answered, whatever the author’s back-off does', async () => {
    const backoffSeconds = () => {
      throw new Error('no such table');
    };
    const { consumer, asked, context } = setUp({ backoffSeconds });
    expect(failuresOf(await consumer(fails)(sqsEvent(order('a')), context()))).toEqual(['a']);
    expect(asked.flat()).toEqual([]);
  });

  it('until a provider that is to be asked would be believed, where that is later', async () => {
    const policy = reconcile({ ask: () => ({ verdict: 'applied' }), settleMs: 25_000 });
    const { consumer, asked, context } = setUp({ onAbandoned: policy, backoffSeconds: () => 1 });
    await consumer(fails)(sqsEvent(order('a')), context());
    expect(asked.flat()[0]?.seconds).toBeGreaterThanOrEqual(25);
    expect(asked.flat()[0]?.seconds).toBeLessThan(40);
  });

  it('not at all after 0, whatever its provider needs: that is the author’s word for at once', async () => {
    const policy = reconcile({ ask: () => ({ verdict: 'applied' }), settleMs: 25_000 });
    const { consumer, asked, context } = setUp({ onAbandoned: policy, backoffSeconds: () => 0 });
    await consumer(fails)(sqsEvent(order('a')), context());
    expect(asked).toEqual([[{ receipt: 'a', seconds: 0 }]]);
  });
});

describe('a message that waits', () => {
  it('for its turn in a message group comes back at once: SQS keeps the order', async () => {
    const events: string[] = [];
    const { consumer, asked, host } = setUp({ onEvent: ({ type }) => events.push(type) });
    const first = sqsRecord({ orderId: 'a' }, { receiptHandle: 'a', group: 'g' });
    await consumer(() => 'never called')(sqsEvent(first), context(900, host.now));
    expect(asked).toEqual([[{ receipt: 'a', seconds: 0 }]]);
    // It waits for the end of nothing.
    expect(events).toEqual(['not-started']);
  });

  it('for another worker comes back when that one’s lease can have ended, spread by half a second and a tenth', async () => {
    for (const [random, seconds] of [
      [0, 31],
      [0.5, 33],
      [1, 35],
    ] as const) {
      const { consumer, asked, context } = setUp({}, random);
      void consumer(() => new Promise(() => undefined))(sqsEvent(order('a')), context());
      await new Promise((resolve) => setImmediate(resolve));
      const copy = { ...order('a'), messageId: 'copy', receiptHandle: 'copy' };
      expect(failuresOf(await consumer(fails)(sqsEvent(copy), context()))).toEqual(['copy']);
      expect(asked).toEqual([[{ receipt: 'copy', seconds }]]);
    }
  });

  it('for what its handler knows comes back then, behind every door, and not after the back-off of a failure', async () => {
    const told: string[] = [];
    const waits = () => Promise.reject(new RetryableError('locked', { retryAfterMs: 900_000 }));
    const doors: ((set: ReturnType<typeof setUp>) => (event: SqsEvent, on: InvocationContext) => unknown)[] = [
      ({ consumer }) => consumer(waits),
      ({ host, store, aws, onEvent }) =>
        middy(waits, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce({
            ...{ operation: 'send-email', key: bodyField('orderId'), onAbandoned: 'retry', store, aws, onEvent },
            host,
          }),
        ) as never,
    ];
    for (const door of doors) {
      const set = setUp({ onEvent: ({ type }) => told.push(type) });
      // The fifth receive: after a failure, 810 s.
      expect(failuresOf(await door(set)(sqsEvent(order('a', 5)), set.context()))).toEqual(['a']);
      expect(set.asked).toEqual([[{ receipt: 'a', seconds: 946 }]]);
    }
    expect(told).toEqual(['granted', 'released', 'deferred', 'granted', 'released', 'deferred']);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'and is told to wait for %d milliseconds is taken for one that failed',
    async (retryAfterMs) => {
      const { consumer, asked, context } = setUp();
      const waits = () => Promise.reject(new RetryableError('locked', { retryAfterMs }));
      await consumer(waits)(sqsEvent(order('a')), context());
      expect(asked.flat()).toEqual([{ receipt: 'a', seconds: 10 }]);
    },
  );

  it('behind another suspect comes back before that one does, should it kill the worker again', async () => {
    const { consumer, asked, context, host } = setUp();
    const three = ['a', 'b', 'c'];
    const isDead = { ...host, after: () => () => undefined };
    void consumer(() => new Promise(() => undefined), isDead)(sqsEvent(...three.map((id) => order(id))), context());
    await host.advance(60_000);
    const ran: string[] = [];
    const second = consumer((orderId) => void ran.push(orderId));
    await second(sqsEvent(...three.map((id) => order(id, 2))), context());
    expect(ran).toEqual(three);
    // The invocation ends in 30 s. Each comes alone.
    expect(asked).toEqual([
      [
        { receipt: 'a', seconds: 35 },
        { receipt: 'b', seconds: 33 },
        { receipt: 'c', seconds: 31 },
      ],
    ]);
  });
});

it('a redelivery is read before anything is written: what is done costs no write', async () => {
  const memory = memoryStore();
  let writes = 0;
  const store: SqsOptions<Order>['store'] = {
    read: memory.read,
    write(write) {
      writes++;
      return memory.write(write);
    },
  };
  const { consumer, context } = setUp({ store });
  await consumer(() => 'sent')(sqsEvent(order('a')), context());
  expect(writes).toBe(2);
  await consumer(fails)(sqsEvent(order('a', 2)), context());
  expect(writes).toBe(2);
});

it.each([
  [{ key: undefined }, 'key: expected a function of the message'],
  [{ onInFlight: 'drop' }, "onInFlight: expected 'defer' or 'discard'"],
  [{ concurrency: 0 }, 'concurrency: expected at least 1'],
  [{ concurrency: '5' }, 'concurrency: expected at least 1'],
  [{ fingerprint: {} }, 'fingerprint: expected false, a function, { ignore: [paths] }'],
  [{ fingerprint: true }, 'fingerprint: expected false, a function, { ignore: [paths] }'],
  [{ fingerprint: null }, 'fingerprint: expected false, a function, { ignore: [paths] }'],
  [{ fingerprint: { ignore: 'sentAt' } }, 'fingerprint: expected false, a function, { ignore: [paths] }'],
  [{ fingerprint: { ignore: [1] } }, 'fingerprint: expected false, a function, { ignore: [paths] }'],
  [{ schema: {} }, 'schema: expected a schema that follows Standard Schema'],
  [{ schema: null }, 'schema: expected a schema that follows Standard Schema'],
  [{ backoffSeconds: 30 }, 'backoffSeconds: expected a function of the receive count'],
  [{ recordResult: 'yes' }, 'recordResult: expected true or false'],
  [{ deadLetters: 'https://sqs/dead' }, 'deadLetters: expected deadLetterQueue("https://sqs/dead")'],
  [{ aws: {} }, 'aws: expected sdk() of pawl/dynamodb'],
])('refuses %j when it is set up', (wrong, message) => {
  const set = () => setUp(wrong as never).consumer(fails);
  expect(set).toThrow(OptionError);
  expect(set).toThrow(message);
  const left = { recordResult: undefined, schema: undefined, backoffSeconds: undefined, fingerprint: undefined };
  expect(() => setUp({ concurrency: 1, ...(left as object) }).consumer(fails)).not.toThrow();
});
