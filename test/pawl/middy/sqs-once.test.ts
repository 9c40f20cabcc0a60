import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { memoryStore, RetryableError } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { unhandledRejections } from '../../support/rejections.ts';

type Handler = (event: SQSEvent, context: Context) => unknown;

const order = (orderId: string) => sqsRecord({ orderId });
const orderIdOf = ({ body }: { body: string }): string => JSON.parse(body).orderId;

/** An existing batch handler wrapped by one line. */
function wrap(existing: Handler, options: { onAbandoned?: 'retry' | 'park'; timeoutEarlyInMillis?: number } = {}) {
  const { onAbandoned = 'retry', timeoutEarlyInMillis = 0 } = options;
  const store = memoryStore();
  const events: string[] = [];
  const handled: string[][] = [];
  const handler = middy(
    async (event: SQSEvent, lambdaContext: Context) => {
      handled.push(event.Records.map(orderIdOf));
      return existing(event, lambdaContext);
    },
    { timeoutEarlyInMillis },
  ).use(
    sqsOnce({
      operation: 'send-email',
      aws: noQueue,
      store,
      key: bodyField('orderId'),
      onAbandoned,
      onEvent: ({ type }) => events.push(type),
    }),
  );
  const call = (records: ReturnType<typeof order>[], remainingMs = 30_000) =>
    handler(sqsEvent(...records) as SQSEvent, context(remainingMs) as Context);
  const statuses = () => Object.fromEntries(store.records().map(({ id, status }) => [id.split('#')[1], status]));
  return { store, handler, handled, events, call, statuses };
}

const settledOf = (event: SQSEvent, handle: (orderId: string) => unknown) =>
  Promise.allSettled(event.Records.map(async (record) => handle(orderIdOf(record))));

describe('sqsOnce', () => {
  it('understands PromiseSettledResult[] in the order of the records', async () => {
    const fails = new Set(['b']);
    const { call, handled, statuses } = wrap((event) =>
      settledOf(event, (orderId) => {
        if (fails.has(orderId)) throw new Error('no');
      }),
    );
    const b = order('b');
    expect(failuresOf(await call([order('a'), b, order('c')]))).toEqual([b.messageId]);
    expect(statuses()).toEqual({ a: 'completed', b: 'released', c: 'completed' });
    fails.clear();
    expect(failuresOf(await call([order('a'), b, order('c')]))).toEqual([]);
    expect(handled).toEqual([['a', 'b', 'c'], ['b']]);
  });

  it.each([
    ['a hole', Object.assign(new Array(2), { 0: { status: 'fulfilled', value: 1 } })],
    ['undefined', [{ status: 'fulfilled', value: 1 }, undefined]],
  ])('takes %s in a list of results for a message that is not done', async (_, answer) => {
    const { call, statuses } = wrap(() => answer);
    const [a, b] = [order('a'), order('b')];
    expect(failuresOf(await call([a, b]))).toEqual([b.messageId]);
    expect(statuses()).toEqual({ a: 'completed', b: 'released' });
  });

  it('understands { batchItemFailures }', async () => {
    const { call, statuses } = wrap((event) => ({
      batchItemFailures: event.Records.filter((record) => orderIdOf(record) === 'b').map(({ messageId }) => ({
        itemIdentifier: messageId,
      })),
    }));
    const b = order('b');
    expect(failuresOf(await call([order('a'), b]))).toEqual([b.messageId]);
    expect(statuses()).toEqual({ a: 'completed', b: 'released' });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['{}', {}],
    ['an empty list of failures', { batchItemFailures: [] }],
    ['no list of failures', { batchItemFailures: null }],
    ['undefined for each message, as Promise.all of functions that return nothing,', [undefined, undefined]],
  ])('takes %s for success, as Lambda does', async (_, answer) => {
    const { call, statuses } = wrap(() => answer);
    expect(failuresOf(await call([order('a'), order('b')]))).toEqual([]);
    expect(statuses()).toEqual({ a: 'completed', b: 'completed' });
  });

  it.each([
    ['an unknown identifier', { batchItemFailures: [{ itemIdentifier: 'nobody' }] }],
    ['an empty identifier', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['no list', { batchItemFailures: 'all' }],
    ['too few results', [{ status: 'fulfilled', value: 1 }]],
  ])('takes %s for a failure of the whole batch, as Lambda does', async (_, answer) => {
    const { call, statuses } = wrap(() => answer);
    const both = [order('a'), order('b')];
    expect(failuresOf(await call(both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(statuses()).toEqual({ a: 'released', b: 'released' });
  });

  it('waits for no promises where results should be: they fail unheard, and end no process', async () => {
    const failing = () => Promise.reject(new Error('no'));
    const answers: Handler[] = [
      () => [failing(), failing()],
      () => ({ batchItemFailures: failing() }),
      () => ({ batchItemFailures: [failing()] }),
    ];
    const unhandled = await unhandledRejections(async () => {
      for (const answer of answers) {
        const { call, statuses } = wrap(answer);
        const both = [order('a'), order('b')];
        expect(failuresOf(await call(both))).toEqual(both.map(({ messageId }) => messageId).sort());
        expect(statuses()).toEqual({ a: 'released', b: 'released' });
      }
    });
    expect(unhandled).toEqual([]);
  });

  it('takes a throw for an unknown outcome of every message: retry releases all, park parks all', async () => {
    const thrower = () => {
      throw new Error('socket hang up');
    };
    for (const [onAbandoned, status] of [
      ['retry', 'released'],
      ['park', 'parked'],
    ] as const) {
      const { call, statuses } = wrap(thrower, { onAbandoned });
      const both = [order('a'), order('b')];
      expect(failuresOf(await call(both))).toEqual(both.map(({ messageId }) => messageId).sort());
      expect(statuses()).toEqual({ a: status, b: status });
    }
  });

  it('does not take one RetryableError of a batch for "nothing was applied" to all of it', async () => {
    const thrower = () => {
      throw new RetryableError('the third mail was refused');
    };
    const { call, statuses } = wrap(thrower, { onAbandoned: 'park' });
    await call([order('a'), order('b')]);
    expect(statuses()).toEqual({ a: 'parked', b: 'parked' });
    const single = wrap(thrower, { onAbandoned: 'park' });
    await single.call([order('a')]);
    expect(single.statuses()).toEqual({ a: 'released' });
  });

  it('hands on only what may run, and does not call the handler when nothing may (claim-batch.ts 1)', async () => {
    const { call, handled } = wrap(() => undefined);
    await call([order('a')]);
    const invalid = sqsRecord('no json');
    expect(failuresOf(await call([order('a'), invalid, order('b'), order('b')]))).toEqual([invalid.messageId]);
    expect(failuresOf(await call([order('a'), order('b')]))).toEqual([]);
    expect(handled).toEqual([['a'], ['b']]);
  });

  it('is not misled by a handler that changes its event', async () => {
    let fails = true;
    const { call, statuses, handled } = wrap((event) => {
      for (const record of event.Records) Object.assign(record, { body: '{"orderId":"forged"}', messageId: 'forged' });
      event.Records.length = 0;
      if (fails) throw new Error('no');
    });
    const first = order('a');
    const id = first.messageId;
    expect(failuresOf(await call([first]))).toEqual([id]);
    fails = false;
    expect(failuresOf(await call([order('a')]))).toEqual([]);
    expect(statuses()).toEqual({ a: 'completed' });
    await call([order('a')]);
    expect(handled).toEqual([['a'], ['a']]);
  });

  it('keeps a completion when another middleware fails after it', async () => {
    const store = memoryStore();
    let ran = 0;
    const handler = middy(
      async (_: SQSEvent) => {
        ran++;
      },
      { timeoutEarlyInMillis: 0 },
    )
      .use({
        after: () => {
          throw new Error('the metrics could not be flushed');
        },
      })
      .use(
        sqsOnce({
          operation: 'send-email',
          aws: noQueue,
          store,
          key: bodyField('orderId'),
          onAbandoned: 'retry',
        }),
      );
    const deliver = () => handler(sqsEvent(order('a')) as SQSEvent, context() as Context);
    await expect(deliver()).rejects.toThrow('metrics');
    expect(store.records()).toMatchObject([{ status: 'completed' }]);
    expect(failuresOf(await deliver())).toEqual([]);
    expect(ran).toBe(1);
  });

  it('touches no claim in its error hook that this request did not take', async () => {
    const store = memoryStore();
    const build = (before: () => void) =>
      middy(async () => undefined, { timeoutEarlyInMillis: 0 })
        .before(before)
        .use(
          sqsOnce({
            operation: 'send-email',
            aws: noQueue,
            store,
            key: bodyField('orderId'),
            onAbandoned: 'retry',
          }),
        );
    await build(() => undefined)(sqsEvent(order('a')) as SQSEvent, context() as Context);
    const failing = build(() => {
      throw new Error('not authorised');
    });
    await expect(failing(sqsEvent(order('a')) as SQSEvent, context() as Context)).rejects.toThrow('not authorised');
    expect(store.records()).toMatchObject([{ status: 'completed' }]);
  });

  it('leaves the claims in flight when Middy’s early timeout comes: the handler is still running', async () => {
    let finish = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { call, statuses } = wrap(() => running, { timeoutEarlyInMillis: 1900 });
    const a = order('a');
    expect(failuresOf(await call([a], 2000))).toEqual([a.messageId]);
    expect(statuses()).toEqual({ a: 'in-flight' });
    finish();
  });

  it('hands on a whole FIFO group, in its order', async () => {
    const { call, handled } = wrap(() => undefined);
    const records = ['a1', 'b1', 'a2', 'a3'].map((orderId) => sqsRecord({ orderId }, { group: orderId.slice(0, 1) }));
    expect(failuresOf(await call(records))).toEqual([]);
    expect(handled).toEqual([['a1', 'b1', 'a2', 'a3']]);
  });

  it('stops a FIFO group at its first message that may not run', async () => {
    const { call, handled } = wrap(() => undefined);
    const inGroup = (group: string, body: unknown) => sqsRecord(body, { group });
    const [bad, after] = [inGroup('g1', 'no json'), inGroup('g1', { orderId: 'a2' })];
    const response = await call([inGroup('g1', { orderId: 'a1' }), bad, inGroup('g2', { orderId: 'b1' }), after]);
    expect(failuresOf(response)).toEqual([bad.messageId, after.messageId].sort());
    expect(handled).toEqual([['a1', 'b1']]);
  });

  it('ends a FIFO group at a repeat whose first is in another group: what becomes of that is not known yet (batch-run.ts 3)', async () => {
    const { call, handled, store } = wrap(() => undefined);
    const x = { orderId: 'x' };
    const seen = {
      id: 'send-email#x',
      status: 'in-flight',
      claimId: 'another',
      fence: 1,
      attempts: 1,
      abandoned: 0,
      rev: 1,
      v: 1,
    } as const;
    const now = Date.now();
    await store.write({ next: { ...seen, firstSeenAt: now, leaseUntil: now + 30_000 }, seen: undefined });
    const records = [
      sqsRecord(x, { group: 'g1' }),
      sqsRecord(x, { group: 'g2' }),
      sqsRecord({ orderId: 'y' }, { group: 'g2' }),
    ];
    const ids = records.map(({ messageId }) => messageId).sort();
    expect(failuresOf(await call(records))).toEqual(ids);
    expect(handled).toEqual([]);
  });

  it('ends a FIFO group at a repeat whose first is handed on in another group, and shares its outcome (batch-run.ts 3)', async () => {
    const { call, handled } = wrap(() => undefined);
    const [x, repeat, behind] = [
      sqsRecord({ orderId: 'x' }, { group: 'g1' }),
      sqsRecord({ orderId: 'x' }, { group: 'g2' }),
      sqsRecord({ orderId: 'y' }, { group: 'g2' }),
    ];
    expect(failuresOf(await call([x, repeat, behind]))).toEqual([behind.messageId]);
    expect(handled).toEqual([['x']]);
  });

  it('ends a FIFO group at a repeat whose first is a suspect, which then runs alone (claim-batch.ts 3)', async () => {
    const { call, handled, store } = wrap(() => undefined);
    const past = Date.now() - 60_000;
    const dead = { status: 'in-flight', claimId: 'dead', fence: 1, attempts: 1, abandoned: 0, rev: 1, v: 1 } as const;
    await store.write({ next: { ...dead, id: 'send-email#x', firstSeenAt: past, leaseUntil: past }, seen: undefined });
    const [x, repeat, behind] = [
      sqsRecord({ orderId: 'x' }, { group: 'g1' }),
      sqsRecord({ orderId: 'x' }, { group: 'g2' }),
      sqsRecord({ orderId: 'y' }, { group: 'g2' }),
    ];
    expect(failuresOf(await call([x, repeat, behind]))).toEqual([behind.messageId]);
    expect(handled).toEqual([['x']]);
  });

  it('hands nothing on beside a suspect, also not what is behind it in its group (claim-batch.ts 3)', async () => {
    const { call, handled, store } = wrap(() => undefined);
    const past = Date.now() - 60_000;
    const dead = { status: 'in-flight', claimId: 'dead', fence: 1, attempts: 1, abandoned: 0, rev: 1, v: 1 } as const;
    await store.write({ next: { ...dead, id: 'send-email#x', firstSeenAt: past, leaseUntil: past }, seen: undefined });
    const [x, behind] = [sqsRecord({ orderId: 'x' }, { group: 'g1' }), sqsRecord({ orderId: 'y' }, { group: 'g1' })];
    expect(failuresOf(await call([x, behind]))).toEqual([behind.messageId]);
    expect(handled).toEqual([['x']]);
  });

  it('refuses to be used twice on one handler, and gives the claims of the first back unharmed (watched-request.ts 1)', async () => {
    const options = {
      store: memoryStore(),
      key: bodyField('orderId'),
      onAbandoned: 'park',
      aws: noQueue,
      onEvent: () => undefined,
    } as const;
    const handler = middy(async () => undefined, { timeoutEarlyInMillis: 0 })
      .use(sqsOnce({ ...options, operation: 'send-email' }))
      .use(sqsOnce({ ...options, operation: 'other' }));
    const response = handler(sqsEvent(order('a')) as SQSEvent, context() as Context);
    await expect(response).rejects.toThrow('use it once on a handler');
    expect(options.store.records()).toMatchObject([{ id: 'send-email#a', status: 'released' }]);
    expect(options.store.records()[0]?.unknownAt).toBeUndefined();
  });

  it('takes a suspect along when it has waited long enough: under steady traffic it would never be alone', async () => {
    const { call, handled, store } = wrap(() => undefined);
    const past = Date.now() - 60_000;
    const dead = {
      id: 'send-email#s',
      status: 'in-flight',
      claimId: 'dead',
      fence: 1,
      attempts: 1,
      abandoned: 0,
      rev: 1,
      v: 1,
    } as const;
    await store.write({ next: { ...dead, firstSeenAt: past, leaseUntil: past }, seen: undefined });
    const suspect = (receiveCount: number) => sqsRecord({ orderId: 's' }, { receiveCount });
    expect(failuresOf(await call([order('a'), suspect(2)]))).toHaveLength(1);
    expect(failuresOf(await call([order('b'), suspect(3)]))).toEqual([]);
    expect(handled).toEqual([['a'], ['b', 's']]);
  });
});
