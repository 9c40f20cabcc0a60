import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { bodyField as httpField, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type Claim, memoryStore, OptionError, once, reconcile, step } from '../../../lib/pawl/index.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { commitStep, eachTransaction, inPhases } from '../../../lib/pawl/transactions/index.ts';
import { doors as apis } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { untyped } from './mistake.ts';

/** A generator in place of a function: its body does not run when it is called, so what it was for would be taken for done. */

let ran = 0;
function* sync() {
  ran++;
  yield 1;
}
async function* async() {
  ran++;
  yield 1;
}
const plain = () => undefined;

function options(more: object = {}) {
  const store = { ...memoryStore(), aws: noQueue };
  const common = { operation: 'orders', store, onAbandoned: 'park', onEvent: plain };
  return {
    ...common,
    ...memoryTransactions(store),
    store: memoryTransactions(store).store,
    key: bodyField('orderId'),
    ...more,
  };
}
const given = (more?: object) => {
  const { items: _, ...rest } = options(more);
  return untyped(rest);
};
const forHttp = (more: object = {}) => given({ caller: 'anyone', key: httpField('orderId'), ...more });
const locks = resourceLocks({ store: memoryLockStore() });
const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;

/** Every place where a function of the author's is taken. */
const places: Readonly<Record<string, (fn: never) => unknown>> = {
  'once: its function': (fn) => once(given(), fn),
  'once: key': (fn) => once(given({ key: fn }), plain),
  'once: fingerprint': (fn) => once(given({ fingerprint: fn }), plain),
  'once: fingerprint.of': (fn) => once(given({ fingerprint: { of: fn } }), plain),
  'once: attributes': (fn) => once(given({ attributes: fn }), plain),
  'once: classify': (fn) => once(given({ classify: fn }), plain),
  'once: onEvent': (fn) => once(given({ onEvent: fn }), plain),
  'reconcile: ask': (fn) => reconcile({ ask: fn, settleMs: 1 }),
  'eachMessage: its handler': (fn) => eachMessage(given(), fn),
  'eachMessage: key': (fn) => eachMessage(given({ key: fn }), plain),
  'eachMessage: backoffSeconds': (fn) => eachMessage(given({ backoffSeconds: fn }), plain),
  'sqsOnce: key': (fn) => sqsOnce(given({ key: fn })),
  'eachTransaction: its function': (fn) => eachTransaction(given({ onAbandoned: undefined }), fn),
  'eachTransaction: onRefused': (fn) =>
    eachTransaction(given({ onAbandoned: undefined, onRefused: fn }), untyped(plain)),
  'onceOverHttp: its handler': (fn) => onceOverHttp(forHttp(), fn),
  'onceOverHttp: key': (fn) => onceOverHttp(forHttp({ key: fn }), plain),
  'onceOverHttp: caller': (fn) => onceOverHttp(forHttp({ caller: fn }), plain),
  'onceOverHttp: required': (fn) => onceOverHttp(forHttp({ required: fn }), plain),
  'onceOverHttp: isFinal': (fn) => onceOverHttp(forHttp({ isFinal: fn }), plain),
  'inPhases: prepare': (fn) => inPhases({ prepare: fn, execute: plain, record: () => [], onAbandoned: 'retry' }),
  'inPhases: execute': (fn) => inPhases({ execute: fn, record: () => [], onAbandoned: 'retry' }),
  'inPhases: record': (fn) => inPhases({ execute: plain, record: fn, onAbandoned: 'retry' }),
  'withLock: its work': (fn) => locks.withLock([['debt', 1]], { holder: 'h', unlock }, fn),
  'withLock: unlock.onSuccess': (fn) =>
    locks.withLock([['debt', 2]], { holder: 'h', unlock: { ...unlock, onSuccess: fn } }, plain),
};

describe('a generator is refused where it is given', () => {
  const cells = Object.entries(places).flatMap(([place, make]) => [
    { place, make, kind: 'function*', fn: sync },
    { place, make, kind: 'async function*', fn: async },
  ]);
  test.each(cells)('$place, $kind', async ({ make, fn }) => {
    const refused = async () => make(untyped(fn));
    await expect(refused()).rejects.toBeInstanceOf(OptionError);
    await expect(refused()).rejects.toThrow(/got a generator, whose body does not run when it is called.*#generator$/);
    expect(ran).toBe(0);
  });
});

/** What a wrapper returns, of which nobody sees that it wraps a generator. */
const wrapped = [
  { kind: 'function*', fn: () => sync() },
  { kind: 'async function*', fn: () => async() },
  { kind: 'function*, behind an async wrapper', fn: async () => sync() },
] as const;

const batch = (handler: (event: never, context: never) => unknown) =>
  handler(sqsEvent(sqsRecord({ orderId: '7' }, { messageId: 'm' })) as never, context() as never);

/** A message whose handler does this with its claim. */
const message = (fn: (claim: Claim) => unknown, more: object = {}) =>
  batch(eachMessage(given(more), (_, claim) => fn(claim)));

describe('a generator behind a wrapper is refused at its first call, and its message comes again', () => {
  const doors: Readonly<Record<string, (fn: () => unknown, more: object) => unknown>> = {
    eachMessage: (fn, more) => message(fn, more),
    'claim.effect': (fn, more) => message((claim) => claim.effect(fn), more),
    step: (fn, more) => message((claim) => step(claim, 'charge', fn, { onAbandoned: 'park' }), more),
    commitStep: (fn, more) => message((claim) => commitStep(claim, 'reserve', untyped(fn)), more),
    inPhases: (fn, more) =>
      message((claim) => inPhases({ execute: fn, record: () => [], onAbandoned: 'park' })(1, claim), more),
    'inPhases: record': (fn, more) =>
      message((claim) => inPhases({ execute: plain, record: untyped(fn), onAbandoned: 'park' })(1, claim), more),
    withLock: (fn, more) => message(() => locks.withLock([['debt', 3]], { holder: 'h', unlock }, fn), more),
    once: (fn, more) => message(() => once(given({ operation: 'inner', key: () => 'k' }), fn)(1), more),
    eachTransaction: (fn, more) =>
      batch(eachTransaction(untyped({ ...(given(more) as object), onAbandoned: undefined }), untyped(fn))),
    sqsOnce: (fn, more) =>
      batch((event, lambda) =>
        middy(async () => fn(), { timeoutEarlyInMillis: 0 }).use(sqsOnce(given(more)))(
          event as SQSEvent,
          lambda as Context,
        ),
      ),
  };
  const cells = Object.entries(doors).flatMap(([door, call]) =>
    // A batch handler that is not async returns its generator to Middy, which awaits it all the same.
    wrapped.map(({ kind, fn }) => ({ door, call, kind, fn })),
  );
  test.each(cells)('$door, $kind', async ({ call, fn, door }) => {
    const store = memoryTransactions(memoryStore()).store;
    expect(failuresOf(await call(fn, { store }))).toEqual(['m']);
    expect(ran).toBe(0);
    // Its body has not run, so nothing is in doubt. Of a batch handler, pawl cannot say that.
    const record = await store.read('orders#7');
    if (door !== 'sqsOnce') expect(record).toMatchObject({ status: 'released' });
    if (door !== 'sqsOnce') expect(record?.unknownAt).toBeUndefined();
  });

  test.each(Object.entries(apis).flatMap(([door, make]) => wrapped.map(({ kind, fn }) => ({ door, make, kind, fn }))))(
    '$door, $kind',
    async ({ make, fn }) => {
      const store = memoryStore();
      const api = make(
        {
          operation: 'orders',
          store,
          caller: 'anyone',
          key: httpField('orderId'),
          onAbandoned: 'park',
          onEvent: plain,
        },
        fn,
      );
      await expect(api(apiGatewayV2({ body: JSON.stringify({ orderId: '7' }) }))).rejects.toThrow(
        'returned a generator',
      );
      expect(await store.read('orders#7')).toMatchObject({ status: 'released' });
      expect(ran).toBe(0);
    },
  );

  test('a list, a map, a stream or an iterator of a list is a result like any other', async () => {
    const results = [[1], new Map([[1, 2]]), [1].values(), new ReadableStream(), { next: () => undefined }];
    for (const result of results) expect(failuresOf(await message(() => result))).toEqual([]);
  });
});
