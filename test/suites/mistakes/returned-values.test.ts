import { EventEmitter } from 'node:events';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { bodyField as httpField } from '../../../lib/pawl/http/index.ts';
import {
  type ClaimEvent,
  canonicalValue,
  memoryStore,
  once,
  RejectedError,
  RetryableError,
  step,
} from '../../../lib/pawl/index.ts';
import { sleep } from '../../../lib/pawl/kernel/host.ts';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { claimRecord } from '../../../lib/testing/laws/records.ts';
import { doors as apis } from '../../support/http-doors.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { type VirtualHost, virtualHost } from '../../support/virtual-host.ts';
import { warnedBy } from './mistake.ts';

/** What a handler returns that says that it is not done, at every door: with its result kept or not, no claim completes with that, silently. */

interface Order {
  readonly id: string;
}
const order: Order = { id: 'order-17' };
let worlds = 0;

/** A world in which one call is under way, one is parked, one was refused for good, and one is done. */
async function worldOf() {
  const host = virtualHost();
  const store = memoryStore();
  const common = { store, host, onEvent: (_: ClaimEvent): void => undefined };
  const given = { ...common, key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
  const calls = {
    'in-flight': once({ ...given, operation: 'slow' }, () => new Promise<never>(() => undefined)),
    parked: once({ ...given, operation: 'hung-up' }, () => Promise.reject(new Error('reset'))),
    rejected: once({ ...given, operation: 'refused' }, () => Promise.reject(new RejectedError('no'))),
    done: once({ ...given, operation: 'done' }, () => 'sent'),
  };
  const begun = Object.values(calls).map((call) => call.outcome(order).catch(() => undefined));
  await Promise.race([begun[0], host.advance(1)]);
  await Promise.all(begun.slice(1));
  return { host, store, common, calls, operation: `returns-${++worlds}` };
}
type World = Awaited<ReturnType<typeof worldOf>>;
type Handle = (world: World) => unknown;

interface Ended {
  readonly status: string | undefined;
  readonly unknownAt: number | undefined;
  readonly warned: string;
  /** Whether its caller or its queue takes it for done. */
  readonly isTakenForDone: boolean;
  readonly response: unknown;
}
type Door = (world: World, handle: Handle, onAbandoned: 'park' | 'retry') => Promise<unknown>;

const call =
  (recordResult: boolean): Door =>
  async ({ common, operation, ...world }, handle, onAbandoned) => {
    const given = { ...common, operation, key: ({ id }: Order) => id, onAbandoned, recordResult };
    const called = once(given, () => handle({ common, operation, ...world }));
    return called(order, { remainingMs: () => 30_000 });
  };

const api =
  (name: string): Door =>
  async (world, handle, onAbandoned) => {
    const { common, operation } = world;
    const given = { ...common, operation, caller: 'anyone', key: httpField('id'), onAbandoned } as const;
    return apis[name]?.(given, () => handle(world))(apiGatewayV2({ body: JSON.stringify(order) }));
  };

const ofQueue = ({ common, operation }: World, onAbandoned: 'park' | 'retry') =>
  ({ ...common, operation, key: bodyField('id'), onAbandoned, aws: noQueue }) as const;

const doors: Readonly<Record<string, Door>> = {
  once: call(true),
  'once, recordResult: false': call(false),
  async eachMessage(world, handle, onAbandoned) {
    const given = ofQueue(world, onAbandoned);
    const handler = eachMessage<Order>(given, () => handle(world));
    return handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, world.host.now));
  },
  async 'claim.effect'(world, handle, onAbandoned) {
    const given = ofQueue(world, onAbandoned);
    const handler = eachMessage<Order>(given, (_, claim) => claim.effect(() => handle(world)).then(() => undefined));
    return handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, world.host.now));
  },
  async sqsOnce(world, handle, onAbandoned) {
    const given = ofQueue(world, onAbandoned);
    const batch = async ({ Records }: SQSEvent) => Promise.allSettled(Records.map(async () => handle(world)));
    const handler = middy(batch, { timeoutEarlyInMillis: 0 }).use(sqsOnce<Order>(given));
    const event = sqsEvent(sqsRecord(order, { messageId: 'm' })) as SQSEvent;
    return handler(event, context(30_000, world.host.now) as Context);
  },
  onceOverHttp: api('onceOverHttp'),
  httpOnce: api('httpOnce'),
};

async function runs(door: Door, handle: Handle, onAbandoned: 'park' | 'retry' = 'park'): Promise<Ended> {
  const world = await worldOf();
  let isTakenForDone = true;
  let response: unknown;
  const warned = await warnedBy(async () => {
    const ended = door(world, handle, onAbandoned).catch(() => {
      isTakenForDone = false;
    });
    await world.host.advance(60_000);
    response = await ended;
  });
  const isBatch = door === doors.eachMessage || door === doors.sqsOnce || door === doors['claim.effect'];
  const failed = isBatch ? failuresOf(response) : [];
  const { statusCode = 200 } = (response ?? {}) as { readonly statusCode?: number };
  const record = (await world.store.read(`${world.operation}#order-17`)) ?? recordOf(world);
  isTakenForDone &&= failed.length === 0 && statusCode < 400;
  return { status: record?.status, unknownAt: record?.unknownAt, warned, isTakenForDone, response };
}

const recordOf = ({ store, operation }: World) => store.records().find(({ id }) => id.startsWith(`${operation}#`));

const table = (forms: Readonly<Record<string, Handle>>) =>
  Object.entries(doors).flatMap(([door, run]) =>
    Object.entries(forms).map(([form, handle]) => ({ door, form, run, handle })),
  );

describe('an outcome that is not done, and what a call has thrown', () => {
  /** Ways to return a call that is under way elsewhere. */
  const forms: Readonly<Record<string, Handle>> = {
    'the outcome': ({ calls }) => calls['in-flight'].outcome(order),
    'in a list': async ({ calls }) => [await calls.done.outcome(order), await calls['in-flight'].outcome(order)],
    'in a field': async ({ calls }) => ({ mail: await calls['in-flight'].outcome(order) }),
    'deep down': async ({ calls }) => ({ all: [new Map([['mail', await calls['in-flight'].outcome(order)]])] }),
    'as a copy': async ({ calls }) => ({ ...(await calls['in-flight'].outcome(order)) }),
    settled: ({ calls }) => Promise.allSettled([calls['in-flight'](order)]),
    'settled, in a field': async ({ calls }) => ({ sent: await Promise.allSettled([calls['in-flight'](order)]) }),
    'the error': ({ calls }) => calls['in-flight'](order).catch((error: unknown) => error),
    'the error, in a list': ({ calls }) => Promise.all([calls['in-flight'](order).catch((error: unknown) => error)]),
  };

  test.each(table(forms))('is no result, $form, of $door', async ({ run, handle, door }) => {
    const { status, unknownAt, isTakenForDone, response } = await runs(run, handle);
    expect({ status, unknownAt, isTakenForDone }).toEqual({
      status: 'released',
      unknownAt: undefined,
      isTakenForDone: false,
    });
    // As the same call answers that was only awaited.
    if (door.toLowerCase().includes('http')) expect(response).toMatchObject({ statusCode: 503 });
  });

  /** Ways to return it beside what may be of an effect: a release would repeat that. */
  const beside: Readonly<Record<string, Handle>> = {
    'a result in its list': async ({ calls }) => ['charge-1', await calls['in-flight'].outcome(order)],
    'nothing in its list': async ({ calls }) => [undefined, await calls['in-flight'].outcome(order)],
    'a field': async ({ calls }) => ({ charge: 'charge-1', mail: await calls['in-flight'].outcome(order) }),
    'a settled charge': ({ calls }) => Promise.allSettled([Promise.resolve('charge-1'), calls['in-flight'](order)]),
    'an object of a class': async ({ calls }) => [
      new URL('https://a.example'),
      await calls['in-flight'].outcome(order),
    ],
    'a promise': async ({ calls }) => [Promise.resolve('charge-1'), await calls['in-flight'].outcome(order)],
  };

  test.each(table(beside))('beside $form is for the policy, of $door', async ({ run, handle }) => {
    for (const onAbandoned of ['park', 'retry'] as const) {
      const { status, unknownAt, isTakenForDone } = await runs(run, handle, onAbandoned);
      expect({ status, isTakenForDone }).toEqual({
        status: onAbandoned === 'park' ? 'parked' : 'released',
        isTakenForDone: false,
      });
      expect(unknownAt).toEqual(expect.any(Number));
    }
  });

  test.each(Object.entries(doors))('that is final is final, also as a copy, of %s', async (_, run) => {
    const { status } = await runs(run, async ({ calls }) => ({ ...(await calls.rejected.outcome(order)) }));
    expect(status).toBe('rejected');
  });

  test.each(Object.entries(doors))('of a key that was used before is final, also as a copy, of %s', async (_, run) => {
    const { status } = await runs(run, async ({ common }) => {
      const given = { ...common, operation: 'compared', fingerprint: canonicalValue, onAbandoned: 'park' } as const;
      const compared = once({ ...given, key: () => 'one' }, (_: number) => 'sent');
      await compared(1);
      return { ...(await compared.outcome(2)) };
    });
    expect(status).toBe('rejected');
  });

  test('leaves no promise beside it unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const fails = () => Promise.resolve().then(() => Promise.reject(new Error('503')));
    const ended = await runs(doors.eachMessage as Door, async ({ calls }) => ({
      outcome: await calls['in-flight'].outcome(order),
      beside: fails(),
    }));
    await runs(doors.eachMessage as Door, () => [new EventEmitter(), fails()]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect({ status: ended.status, unhandled }).toEqual({ status: 'parked', unhandled: [] });
  });

  test('counts by its most careful word', async () => {
    const all: Handle = ({ calls }) =>
      Promise.allSettled([calls.rejected(order), calls['in-flight'](order), calls.parked(order)]);
    expect((await runs(doors.eachMessage as Door, all, 'retry')).status).toBe('parked');
    const two: Handle = ({ calls }) => Promise.allSettled([calls.rejected(order), calls['in-flight'](order)]);
    expect((await runs(doors.eachMessage as Door, two)).status).toBe('released');
    const foreign: Handle = () =>
      Promise.allSettled([Promise.reject(new RetryableError()), Promise.reject(new Error())]);
    expect((await runs(doors.eachMessage as Door, foreign)).status).toBe('parked');
  });
});

describe('what a lock or a producer says is not done', () => {
  const busy: Handle = async ({ host }) => {
    const locks = resourceLocks({ store: memoryLockStore(), host, onEvent: () => undefined });
    await locks.lockAll(['debt'], { holder: 'another', reason: 'a repayment' });
    const unlock = { onSuccess: 'unlock', onFailure: 'keep' } as const;
    return locks.tryWithLock(['debt'], { holder: 'this', reason: 'a repayment', unlock }, () => undefined);
  };
  const forms: Readonly<Record<string, Handle>> = {
    'busy resources': busy,
    'busy resources, as a copy': async (world) => ({ ...((await busy(world)) as object) }),
    'busy resources, in a list': async (world) => [await busy(world)],
  };

  test.each(table(forms))('is no result, $form, of $door', async ({ run, handle, door }) => {
    const { status, unknownAt, isTakenForDone, response } = await runs(run, handle);
    expect({ status, unknownAt, isTakenForDone }).toEqual({
      status: 'released',
      unknownAt: undefined,
      isTakenForDone: false,
    });
    if (door.toLowerCase().includes('http')) expect(response).toMatchObject({ statusCode: 503 });
  });

  /** Returns what became of a message that no try of fourteen days could send. */
  const parked: Handle = async ({ store, host }) => {
    const next = claimRecord({
      id: 'send:mail#order-17',
      status: 'parked',
      error: { name: 'retry-window-over', message: '' },
    });
    await store.write({ next, seen: undefined });
    const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/mails';
    const send = sendOnce({ operation: 'mail', store, host, queueUrl, aws: noQueue, onEvent: () => undefined });
    return send({ key: 'order-17', body: order });
  };
  const notSent: Readonly<Record<string, Handle>> = {
    'as it is': parked,
    'as a copy': async (world) => ({ ...((await parked(world)) as object) }),
  };

  test.each(table(notSent))('parks, a message that is not sent, $form, of $door', async ({ run, handle }) => {
    const { status, isTakenForDone } = await runs(run, handle, 'retry');
    expect({ status, isTakenForDone }).toEqual({ status: 'parked', isTakenForDone: false });
  });
});

describe('settled results of other work', () => {
  test.each(Object.entries(doors))('fail by the policy, of %s', async (_, run) => {
    const { status, isTakenForDone } = await runs(run, () => Promise.allSettled([Promise.reject(new Error('503'))]));
    expect({ status, isTakenForDone }).toEqual({ status: 'parked', isTakenForDone: false });
  });
});

describe('what only looks like a failure is a result', () => {
  const forms: Readonly<Record<string, Handle>> = {
    'a domain object with a reason': async () => ({ status: 'rejected', reason: 'the card was declined' }),
    'a settled result with a field of its own': async () => ({
      status: 'rejected',
      reason: new Error('no'),
      by: 'the bank',
    }),
    'an outcome with a field of its own': async () => ({ outcome: 'key-reused', order: 'order-17' }),
    'an outcome of its own': async () => ({ outcome: 'parked', error: { name: 'x', message: 'y' } }),
    'what was looked at': async ({ calls }) => {
      const { outcome } = await calls.rejected.outcome(order);
      const error = await calls.rejected(order).catch((thrown: unknown) => thrown);
      return { outcome, answer: { ok: false, error } };
    },
    'settled and done': ({ calls }) => Promise.allSettled([calls.done(order)]),
    'an outcome that is done': ({ calls }) => calls.done.outcome(order),
    'no failures of a batch': async () => ({ batchItemFailures: [] }),
    'a cycle': async () => {
      const one: { self?: unknown } = {};
      one.self = one;
      return one;
    },
    'a getter that throws': async () => ({
      get broken() {
        throw new Error('a getter');
      },
    }),
  };
  const quiet = Object.entries(doors).filter(([door]) => !door.toLowerCase().includes('http'));

  test.each(
    quiet.flatMap(([door, run]) => Object.entries(forms).map(([form, handle]) => ({ door, form, run, handle }))),
  )('$form, of $door', async ({ run, handle }) => {
    const { status, isTakenForDone } = await runs(run, handle);
    expect({ status, isTakenForDone }).toEqual({ status: 'completed', isTakenForDone: true });
  });
});

describe('batchItemFailures', () => {
  test.each(Object.entries(doors))('are failures, of %s', async (_, run) => {
    const failing: Handle = async () => ({ batchItemFailures: [{ itemIdentifier: 'm' }] });
    expect(await runs(run, failing)).toMatchObject({ status: 'parked', isTakenForDone: false });
    const again = await runs(run, failing, 'retry');
    expect(again).toMatchObject({ status: 'released', isTakenForDone: false });
  });

  test('say what to do', async () => {
    const { store, common, operation } = await worldOf();
    const given = { ...common, store, operation, key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
    const whole = once(given, async () => ({ batchItemFailures: [{ itemIdentifier: 'm' }] }));
    await expect(whole(order)).rejects.toThrow(
      /returned 1 batchItemFailures.*and call it for each\. .*#failed-in-batch$/,
    );
  });
});

describe('what is not awaited', () => {
  const nested: Readonly<Record<string, (one: Promise<unknown>) => unknown>> = {
    'in an object in an object': (one) => ({ a: { b: one } }),
    'in a list in a list': (one) => [[one]],
    'in a Map': (one) => new Map([['a', one]]),
    'in a Set': (one) => new Set([one]),
  };
  const cells = Object.entries(doors).flatMap(([door, run]) =>
    Object.entries(nested).map(([form, put]) => ({ door, form, run, put })),
  );

  test.each(cells)('a promise $form is waited for, counts and is said, of $door', async ({ run, put }) => {
    let sent = 0;
    const later = async (host: VirtualHost, work: () => void) => {
      await sleep(host, 1000);
      work();
    };
    const done = await runs(run, async ({ host }) => put(later(host, () => void sent++)));
    expect({ sent, status: done.status }).toEqual({ sent: 1, status: 'completed' });
    expect(done.warned).toMatch(/returned promises in a list or an object, which nothing awaits.*#not-awaited$/m);
    const failed = await runs(run, async ({ host }) =>
      put(
        later(host, () => {
          throw new Error('503');
        }),
      ),
    );
    expect(failed).toMatchObject({ status: 'parked', isTakenForDone: false });
  });

  /** What is returned in place of a promise, and has not ended, or not begun. */
  const atWork: Readonly<Record<string, () => unknown>> = {
    'an emitter': () => new EventEmitter(),
    'a timer': () => {
      const timer = setTimeout(() => undefined, 1);
      return timer;
    },
    'an observable': () => ({ subscribe() {} }),
    'a request with promise()': () => ({ send() {}, promise: () => Promise.resolve() }),
    'a list of them': () => [new EventEmitter()],
  };
  const inTheirPlace = ['once', 'once, recordResult: false', 'eachMessage', 'claim.effect', 'onceOverHttp'];

  test.each(table(atWork).filter(({ door }) => inTheirPlace.includes(door)))(
    '$form at once leaves the claim to the policy, of $door',
    async ({ run, handle }) => {
      const ended = await runs(run, handle);
      expect(ended).toMatchObject({ status: 'parked', isTakenForDone: false });
      expect(await runs(run, handle, 'retry')).toMatchObject({ status: 'released', isTakenForDone: false });
    },
  );

  // A timer as the response of an API is a cycle, of which JSON makes an error.
  const said = table(atWork).filter(({ door, form }) => form !== 'a timer' || !door.toLowerCase().includes('http'));

  test.each(said)('$form that comes later is said, of $door', async ({ run, handle }) => {
    const ended = await runs(run, async (world) => {
      await Promise.resolve();
      return handle(world);
    });
    expect(ended.status).toBe('completed');
    expect(ended.warned).toMatch(/still at work, or has not begun.*#not-awaited$/m);
  });

  test('another object of a class that comes at once is said, and completes', async () => {
    class Sending {
      start() {}
    }
    const { status, warned } = await runs(doors['once, recordResult: false'] as Door, () => new Sending());
    expect(status).toBe('completed');
    expect(warned).toMatch(/returned an object of a class, and no promise.*#not-awaited$/);
  });

  test('plain data that comes at once is not said', async () => {
    for (const data of [{ id: 1 }, [1], 'sent', null, Object.create(null)]) {
      expect((await runs(doors.once as Door, () => data)).warned).toBe('');
    }
  });
});

test('a step is not done with what says that it is not', async () => {
  const behindStep =
    (onAbandoned: 'park' | 'retry'): Door =>
    async (world, handle) => {
      const given = { ...world.common, operation: world.operation, key: bodyField('id'), aws: noQueue };
      const handler = eachMessage<Order>({ ...given, onAbandoned: 'retry' }, (_, claim) =>
        step(claim, 'mail', () => handle(world), { onAbandoned }).then(() => undefined),
      );
      return handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, world.host.now));
    };
  const inFlight: Handle = ({ calls }) => calls['in-flight'].outcome(order);
  for (const onAbandoned of ['park', 'retry'] as const) {
    const ended = await runs(behindStep(onAbandoned), inFlight);
    expect(ended).toMatchObject({ status: 'released', unknownAt: undefined });
  }
  expect(await runs(behindStep('park'), () => new EventEmitter())).toMatchObject({ status: 'parked' });
  const fails: Handle = async () => ({ mail: Promise.reject(new Error('503')) });
  expect(await runs(behindStep('park'), fails)).toMatchObject({ status: 'parked' });
});

test('a promise that has failed already counts, of every door', async () => {
  for (const run of Object.values(doors)) {
    const ended = await runs(run, async () => ({ mail: Promise.reject(new Error('503')) }));
    expect(ended).toMatchObject({ status: 'parked', isTakenForDone: false });
  }
});

test('a request of HTTP without a key takes no failure for its response either', async () => {
  const { calls, common, operation } = await worldOf();
  const { onceOverHttp } = await import('../../../lib/pawl/http/index.ts');
  const handler = onceOverHttp(
    { ...common, operation, caller: 'anyone', required: false, onAbandoned: 'park' },
    async (_: APIGatewayProxyEventV2, __: Context) => calls['in-flight'].outcome(order),
  );
  await expect(handler(apiGatewayV2({ body: '{}' }) as never, context(30_000) as never)).rejects.toThrow(
    'another worker',
  );
});
