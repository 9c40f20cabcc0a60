import { describe, expect, it } from 'vitest';
import { type ClaimEvent, failOpen, memoryStore, once } from '../../../lib/pawl/index.ts';
import { allOf, hashedKeys, type Listener, metricEvents, spanEvents } from '../../../lib/pawl/observe/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { eachMessage, messageId, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { reconcileStatements } from '../../../lib/pawl/statements/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { allSources } from '../../support/sources.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { charges } from '../statements/charges.ts';

/** What an author's listener may do instead of listening. Typed as the worst of callers: without types. */
const misbehaviours: Readonly<Record<string, () => unknown>> = {
  throws() {
    throw new Error('the collector is down');
  },
  'throws nothing at all': () => {
    throw undefined;
  },
  'returns a promise that rejects': () => Promise.reject(new Error('the collector is down')),
  'rejects a turn later': async () => {
    await Promise.resolve();
    throw new Error('the collector is down');
  },
  'never settles': () => new Promise(() => undefined),
  'returns a thenable that throws': () => ({
    // biome-ignore lint/suspicious/noThenProperty: that is what is tested.
    then() {
      throw new Error('no promise');
    },
  }),
  'returns a thenable that rejects': () => ({
    // biome-ignore lint/suspicious/noThenProperty: that is what is tested.
    then: (_: unknown, reject: (error: Error) => void) => reject(new Error('late')),
  }),
  'returns what cannot be looked at': () =>
    Object.defineProperty({}, 'then', {
      get() {
        throw new Error('no getter');
      },
    }),
};

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/mails';
const sqsClient = { send: async () => ({ MessageId: 'm-1' }) } as never;

/** A call of `once` whose events go to this listener: what came of it. */
const call = (onEvent: Listener) =>
  once(
    { operation: 'pay', store: memoryStore(), key: (key: string) => key, onAbandoned: 'park', onEvent },
    async () => 'paid',
  ).outcome('p-1');
const paid = { outcome: 'completed', replayed: false, result: 'paid' };

/** Every place where pawl calls a listener: what it comes to with one, which is the same with any other. `listen` is called at least once. */
const places: Readonly<Record<string, (listen: (...heard: unknown[]) => void) => Promise<unknown>>> = {
  'onEvent of once': (listen) => call(listen),
  allOf: (listen) => call(allOf(listen, listen)),
  hashedKeys: (listen) => call(hashedKeys(listen)),
  'hashedKeys of allOf': (listen) => call(hashedKeys(allOf(listen, listen))),
  'allOf of hashedKeys': (listen) => call(allOf(hashedKeys(listen), allOf(allOf(listen)))),
  'hashedKeys, for a message without a key': async (listen) => {
    const hashed = hashedKeys(listen);
    return hashed({ operation: 'pay', id: '', at: 0, type: 'not-started', remainingMs: 0 });
  },
  metricEvents: (listen) => call(metricEvents({ write: listen })),
  spanEvents: (listen) => call(spanEvents(() => ({ addEvent: listen }))),
  'spanEvents, whose span is not there': (listen) => call(spanEvents(listen as never)),
  'metricEvents in allOf': (listen) =>
    call(
      allOf(
        metricEvents({ write: listen }),
        spanEvents(() => ({ addEvent: listen })),
      ),
    ),
  'onEvent of eachMessage': (listen) =>
    eachMessage(
      {
        operation: 'pay',
        store: memoryStore(),
        key: messageId(),
        onAbandoned: 'park',
        aws: noQueue,
        onEvent: listen,
      },
      () => undefined,
    )(sqsEvent(sqsRecord('1')), context(30_000)),
  'onEvent of sendOnce': async (listen) => {
    const { outcome } = await sendOnce({
      operation: 'pay',
      store: memoryStore(),
      queueUrl,
      aws: sdk({ sqs: sqsClient }),
      onEvent: listen,
    })({ key: 'a', body: 1 });
    return outcome;
  },
  'onFailure of failOpen': async (listen) => {
    const down = { read: () => Promise.reject('down'), write: () => Promise.reject('down') };
    const store = failOpen(down, listen);
    return [await store.read('pay#p-1'), await store.write({ next: {} as never, seen: undefined })];
  },
  'onEvent of an operator': async (listen) => {
    const store = memoryStore();
    const failing = once(
      { operation: 'pay', store, key: (key: string) => key, onAbandoned: 'park', onEvent: () => undefined },
      () => {
        throw new Error('unknown');
      },
    );
    await failing('p-1').catch(() => undefined);
    const { outcome } = await operator({ store, onEvent: listen }).resolve({ id: 'pay#p-1' }, 'applied', {
      by: 'maria',
      note: 'seen',
    });
    return outcome;
  },
  'onEvent and onProgress of a statement': async (listen) => {
    const { charge, line, settings, host } = charges();
    await charge('a');
    line('a');
    await host.advance(3 * 3_600_000);
    const done = await reconcileStatements(settings({ onEvent: listen, onProgress: listen }));
    return [done.outcome, done.outcome === 'done' && done.report.matched];
  },
  'onEvent and onReport of a sweep': async (listen) => {
    const host = virtualHost();
    const store = memoryStore();
    const options = {
      operation: 'pay',
      store,
      host,
      key: (key: string) => key,
      onAbandoned: 'park',
      onEvent: () => undefined,
    } as const;
    const failing = once(options, () => {
      throw new Error('unknown');
    });
    await failing('p-1').catch(() => undefined);
    const sweep = sweepOpenClaims({
      store,
      host,
      operations: { pay: { onAbandoned: 'park' } },
      onEvent: listen,
      onReport: listen,
    });
    const swept = sweep({}, { getRemainingTimeInMillis: () => 60_000 } as never);
    await host.advance(1000);
    return swept;
  },
};

describe.each(Object.entries(misbehaviours))('a listener that %s', (_, misbehaviour) => {
  it.each(Object.entries(places))('changes nothing, and ends no process: %s', async (__, place) => {
    const undisturbed = await place(() => undefined);
    let heard = 0;
    let came: unknown;
    const unhandled = await unhandledRejections(async () => {
      came = await place(() => {
        heard++;
        return misbehaviour() as never;
      });
    });
    expect(unhandled).toEqual([]);
    expect(came).toEqual(undisturbed);
    expect(heard).toBeGreaterThan(0);
  });

  it('keeps no other listener of allOf from hearing', async () => {
    const heard: ClaimEvent[] = [];
    const listen = misbehaviour as Listener;
    const unhandled = await unhandledRejections(async () => {
      expect(await call(allOf(listen, (event) => heard.push(event), hashedKeys(listen)))).toEqual(paid);
    });
    expect([heard.map(({ type }) => type), unhandled]).toEqual([['granted', 'completed'], []]);
  });
});

it('there is one way to call a listener, and no other place calls one', () => {
  const calling = allSources.flatMap(({ file, source }) => {
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return (
      code
        .match(/\b(?:onEvent|onFailure|onProgress|onReport|listener)(?:\?\.)?\([^)]/g)
        ?.map((one) => `${file}: ${one}`) ?? []
    );
  });
  expect(calling).toContainEqual(expect.stringMatching(/^lib\/pawl\/kernel\/listener\.ts: /));
  // A rehearsal calls its own.
  expect(calling.filter((one) => !/^lib\/(rehearsal|cli)\/|^lib\/pawl\/kernel\/listener\.ts/.test(one))).toEqual([]);
});
