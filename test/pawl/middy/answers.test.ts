import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, type SqsOptions, type SqsRecord } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string };

const order = (orderId: string) => sqsRecord({ orderId });
const orderIdOf = ({ body }: { body: string }): string => JSON.parse(body).orderId;

interface Wrapped {
  readonly timeoutEarlyInMillis?: number;
  readonly timeoutEarlyResponse?: () => unknown;
  readonly options?: Partial<SqsOptions<Order>> & { readonly host?: Host };
}

function wrap(handle: (event: SQSEvent) => unknown, { options, timeoutEarlyInMillis = 0, ...plugin }: Wrapped = {}) {
  const store = memoryStore();
  const events: ClaimEvent[] = [];
  const handler = middy(async (event: SQSEvent) => handle(event), {
    timeoutEarlyInMillis,
    ...plugin,
  } as object) as MiddyfiedHandler;
  handler.use(
    sqsOnce<Order>({
      operation: 'send-email',
      store,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      aws: noQueue,
      onEvent: (event) => events.push(event),
      ...options,
    }) as never,
  );
  const now = options?.host?.now ?? Date.now;
  const call = (records: readonly SqsRecord[], remainingMs = 30_000) =>
    handler(sqsEvent(...records) as SQSEvent, context(remainingMs, now) as Context) as Promise<unknown>;
  const statuses = () => Object.fromEntries(store.records().map(({ id, status }) => [id.split('#')[1], status]));
  return { store, events, call, statuses };
}

const settled = (records: readonly { body: string }[], failing: string) =>
  Promise.allSettled(
    records.map(async (record) => {
      if (orderIdOf(record) === failing) throw new Error('mail server unavailable');
    }),
  );

describe('results for a list of records that the handler has changed', () => {
  it.each<[string, (records: SQSEvent['Records']) => void]>([
    ['sorted', (records) => void records.sort((a, b) => orderIdOf(b).localeCompare(orderIdOf(a)))],
    ['reversed', (records) => void records.reverse()],
    ['rotated by splice', (records) => void records.push(...records.splice(0, 1))],
    ['replaced by copies', (records) => void records.splice(0, 3, ...records.map((one) => ({ ...one })).reverse())],
  ])('belong to the records as they are: %s', async (_, change) => {
    const { call, statuses } = wrap((event) => {
      change(event.Records);
      return settled(event.Records, 'a');
    });
    const a = order('a');
    expect(failuresOf(await call([a, order('b'), order('c')]))).toEqual([a.messageId]);
    expect(statuses()).toEqual({ a: 'released', b: 'completed', c: 'completed' });
  });

  it.each<[string, (event: SQSEvent) => void]>([
    ['records removed', (event) => void event.Records.splice(0, 1)],
    ['one twice', ({ Records }) => void Records.splice(0, 1, ...Records.slice(1, 2))],
    ['records of other messages', ({ Records }) => void Records.splice(0, 1, { messageId: 'x' } as never)],
  ])('are understood for no message: %s', async (_, change) => {
    const { call, statuses, events } = wrap(async (event) => {
      const results = await settled(event.Records, 'a');
      change(event);
      return results;
    });
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(statuses()).toEqual({ a: 'released', b: 'released' });
    expect(events.map(({ type }) => type)).toContain('answer-not-understood');
  });
});

describe('an answer that is not understood', () => {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const throwing = () =>
    Object.defineProperty({}, 'batchItemFailures', {
      get: () => {
        throw new Error('card-4111');
      },
    });

  it.each<[string, unknown, string]>([
    ['an empty list', [], 'a list of 0 values that are no settled results'],
    ['a list of values', ['card-4111', 'sent'], 'a list of 2 values that are no settled results'],
    ['a list of errors that were caught', [new Error('card-4111'), undefined], 'a list of 2 values'],
    ['a list with holes', new Array(2), 'a list of 2 values that are no settled results'],
    ['a misspelt field', { batchItemFailure: [] }, 'an object without batchItemFailures'],
    ['an HTTP response', { statusCode: 500 }, 'an object without batchItemFailures'],
    ['an error that is returned', new Error('card-4111'), 'an object without batchItemFailures'],
    ['text', 'card-4111', 'a value of type string'],
    ['empty text', '', 'a value of type string'],
    ['a number', 0, 'a value of type number'],
    ['true', true, 'a value of type boolean'],
    ['false', false, 'a value of type boolean'],
    ['an object that throws', throwing(), 'something that cannot be read'],
    ['too many results', [1, 2, 3].map(() => ({ status: 'fulfilled' })), '3 results for 2 messages'],
  ])('is a failure of the whole batch, and said by its type alone: %s', async (_, answer, came) => {
    const { call, statuses, events, store } = wrap(() => answer);
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(statuses()).toEqual({ a: 'released', b: 'released' });
    const event = events.find(({ type }) => type === 'answer-not-understood');
    expect(event).toMatchObject({ came: expect.stringContaining(came), messages: 2 });
    expect(JSON.stringify([events, store.records()])).not.toContain('card-4111');
    expect(store.records()[0]?.error?.message).toContain('expected PromiseSettledResult[]');
  });

  it('in one place of a list, is a failure of that message: what cannot be read, and what throws', async () => {
    const result = Object.defineProperty({}, 'status', {
      get: () => {
        throw new Error('no');
      },
    });
    const fine = { status: 'fulfilled' };
    for (const bad of [revoked(), result, 'fulfilled', null, { status: 'done' }]) {
      const { call, statuses } = wrap(() => [fine, bad, fine]);
      const b = order('b');
      expect(failuresOf(await call([order('a'), b, order('c')]))).toEqual([b.messageId]);
      expect(statuses()).toEqual({ a: 'completed', b: 'released', c: 'completed' });
    }
  });

  it('that is thrown, fails the batch and leaves no claim in flight, whatever it is', async () => {
    const hostile = Object.defineProperty(new Error('no'), 'name', {
      get: () => {
        throw new Error('indescribable');
      },
    });
    for (const thrown of [revoked(), hostile, undefined, null, 0]) {
      const { call, statuses } = wrap(() => Promise.reject(thrown));
      const both = [order('a'), order('b')];
      const failing = await call(both).then(failuresOf, () => 'all');
      if (failing !== 'all') expect(failing).toEqual(both.map(({ messageId }) => messageId).sort());
      expect(statuses()).toEqual({ a: 'released', b: 'released' });
    }
  });
});

describe('an answer just before the end of the invocation', () => {
  const never = () => new Promise(() => undefined);

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['an empty list of failures', () => ({ batchItemFailures: [] })],
    ['an HTTP response', () => ({ statusCode: 408 })],
  ])(
    'may be Middy’s for a handler that still runs: %s leaves the claims in flight',
    async (_, timeoutEarlyResponse) => {
      const { call, statuses, events } = wrap(never, { timeoutEarlyInMillis: 900, timeoutEarlyResponse });
      const both = [order('a'), order('b')];
      expect(failuresOf(await call(both, 1100))).toEqual(both.map(({ messageId }) => messageId).sort());
      expect(statuses()).toEqual({ a: 'in-flight', b: 'in-flight' });
      expect(events.at(-1)).not.toMatchObject({ type: 'completed' });
      expect(events.map(({ type }) => type)).toContain('late-answer');
    },
  );

  it('is believed when it speaks of single messages: only the handler can have said it', async () => {
    const host = virtualHost();
    const { call, statuses } = wrap(
      async (event) => {
        await host.advance(29_500);
        return settled(event.Records, 'a');
      },
      { options: { host } },
    );
    const a = order('a');
    expect(failuresOf(await call([a, order('b')]))).toEqual([a.messageId]);
    expect(statuses()).toEqual({ a: 'released', b: 'completed' });
  });

  it('is believed before that', async () => {
    const host = virtualHost();
    const { call, statuses } = wrap(() => host.advance(28_900), { options: { host } });
    expect(failuresOf(await call([order('a')]))).toEqual([]);
    expect(statuses()).toEqual({ a: 'completed' });
  });
});

it('claims for no more than half of the time: what was claimed has the rest to run in (claim-batch.ts 2)', async () => {
  const host = virtualHost();
  const memory = memoryStore();
  const slow: SqsOptions<Order>['store'] = {
    read: memory.read,
    write: async (write) => {
      if (write.seen === undefined) await host.advance(1000);
      return memory.write(write);
    },
  };
  let handed = 0;
  const count = ({ Records }: SQSEvent) => {
    handed = Records.length;
  };
  const { call, events } = wrap(count, { options: { host, store: slow, concurrency: 1 } });
  const records = Array.from({ length: 100 }, (_, n) => order(`o-${n}`));
  expect(failuresOf(await call(records))).toHaveLength(100 - handed);
  expect(handed).toBeGreaterThan(10);
  expect(handed).toBeLessThan(17);
  const types = events.map(({ type }) => type);
  expect(types).toContain('not-started');
  // The claim that was on its way then is waited for no longer. No other one is asked for.
  expect(types.filter((type) => type === 'store-unavailable')).toHaveLength(1);
});
