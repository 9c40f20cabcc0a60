import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type HttpEvent, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore, OptionError, once, renewedLease } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, type InvocationContext, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';

/** What a caller, or a test's context, may say in place of a time. */
const noTimes: readonly unknown[] = [
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  '20000',
  null,
  20_000n,
  {},
  Promise.resolve(20_000),
  new Date(),
  1e300,
  Number.MAX_SAFE_INTEGER,
  366 * 24 * 3_600_000 + 1,
];

const request = apiGatewayV2({ headers: { 'idempotency-key': '"k-1"' }, body: '{"amount":1}' });
type Run = () => unknown;

/** Each door that takes a time, with a context or a call that says this one. */
const doors: Readonly<
  Record<string, (store: ReturnType<typeof memoryStore>, run: Run, said: () => never) => Promise<unknown>>
> = {
  once: async (store, run, remainingMs) =>
    once({ ...shared(store), key: (key: string) => key }, () => run())('p-1', { remainingMs }),
  eachMessage: async (store, run, said) =>
    eachMessage({ ...shared(store), key: bodyField('id'), aws: noQueue }, () => run() as undefined)(
      sqsEvent(sqsRecord('{"id":"a"}')),
      { getRemainingTimeInMillis: said },
    ),
  sqsOnce: async (store, run, said) =>
    middy(async (_: SqsEvent, __: Context) => void run(), { timeoutEarlyInMillis: 0 }).use(
      sqsOnce({ ...shared(store), key: bodyField('id'), aws: noQueue }),
    )(sqsEvent(sqsRecord('{"id":"a"}')), contextOf(said)) as Promise<unknown>,
  onceOverHttp: async (store, run, said) =>
    onceOverHttp({ ...shared(store), caller: 'anyone' }, (_: HttpEvent, __: { getRemainingTimeInMillis(): number }) => {
      run();
      return { statusCode: 200 };
    })(request, { getRemainingTimeInMillis: said }),
  httpOnce: async (store, run, said) =>
    middy(
      async (_: HttpEvent, __: Context) => {
        run();
        return { statusCode: 200 };
      },
      { timeoutEarlyInMillis: 0 },
    ).use(httpOnce({ ...shared(store), caller: 'anyone' }))(request, contextOf(said)) as Promise<unknown>,
  sweepOpenClaims: async (store, _run, said) =>
    sweepOpenClaims({ store, operations: { pay: { onAbandoned: 'park' } } })({}, { getRemainingTimeInMillis: said }),
};

function contextOf(said: () => never): Context {
  const lambda: InvocationContext = Object.assign(context(20_000), { getRemainingTimeInMillis: said });
  return lambda as Context;
}

function shared(store: ReturnType<typeof memoryStore>) {
  return { operation: 'pay', store, onAbandoned: 'park', onEvent: () => undefined } as const;
}

describe.each(Object.entries(doors))('%s', (name, door) => {
  it.each(noTimes.map((said) => [String(said), said] as const))(
    'refuses %s as the time that is left, before anything is claimed',
    async (_, said) => {
      const store = memoryStore();
      let ran = 0;
      const came = await door(
        store,
        () => ran++,
        () => said as never,
      ).catch((error: unknown) => error);
      expect(came).toBeInstanceOf(OptionError);
      expect(came).toMatchObject({ code: 'wrong-time', message: expect.stringContaining('a number of milliseconds') });
      expect([ran, store.records()]).toEqual([0, []]);
    },
  );

  it.each([-1, 0])('starts nothing with %s left, and leaves nothing in flight', async (said) => {
    const store = memoryStore();
    let ran = 0;
    await door(
      store,
      () => ran++,
      () => said as never,
    ).catch(() => undefined);
    expect([ran, store.records().filter(({ status }) => status === 'in-flight')]).toEqual([0, []]);
  });

  it.skipIf(name === 'sweepOpenClaims')('takes 20.5 seconds, and a year', async () => {
    for (const said of [20_500.5, 366 * 24 * 3_600_000]) {
      const store = memoryStore();
      let ran = 0;
      await door(
        store,
        () => void ran++,
        () => said as never,
      );
      expect([ran, store.records().map(({ status }) => status)]).toEqual([1, ['completed']]);
    }
  });
});

it('what is no function is no remaining time', async () => {
  const call = once({ ...shared(memoryStore()), key: (key: string) => key }, () => 'paid');
  await expect(call('p-1', { remainingMs: 20_000 as never })).rejects.toThrow('remainingMs: expected a function');
  expect(await call.outcome('p-1', { remainingMs: undefined as never })).toMatchObject({ outcome: 'completed' });
});

it('a lease is no longer than a year', () => {
  expect(() => renewedLease(366 * 24 * 3_600_000 + 1)).toThrow(OptionError);
});
