import { describe, expect, test } from 'vitest';
import { onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { type Claim, type ClaimEvent, memoryStore, once, step } from '../../../lib/pawl/index.ts';
import { processWide } from '../../../lib/pawl/kernel/process-wide.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { commit, commitStep, eachTransaction, type TransactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { unhandledRejections } from '../../support/rejections.ts';
import { untyped, warnedBy } from './mistake.ts';

/** Something else in place of a function that starts an effect. A promise of it has begun before pawl could look at the claim. */

const put = { Put: { TableName: 'ledger', Item: { id: 'entry' } } };
let operations = 0;

/** What two handlers of one operation share. */
interface Both {
  readonly operation: string;
  readonly store: TransactionalStore;
  readonly onEvent: () => undefined;
}

async function deliver(handle: (claim: Claim) => unknown, onAbandoned: 'retry' | 'park' = 'park', times = 1) {
  const store = memoryStore();
  const transactions = memoryTransactions(store);
  const events: ClaimEvent[] = [];
  const operation = `orders-${++operations}`;
  const handler = eachMessage<{ orderId: string }>(
    {
      operation,
      store: transactions.store,
      key: bodyField('orderId'),
      onAbandoned,
      onEvent: (event) => events.push(event),
      aws: noQueue,
    },
    (_, claim) => handle(claim),
  );
  let failed: readonly string[] = [];
  for (let time = 0; time < times; time++) {
    const record = sqsRecord({ orderId: '7' }, { messageId: 'm', receiveCount: time + 1 });
    failed = failuresOf(await handler(sqsEvent(record), context()));
  }
  const record = await store.read(`${operation}#7`);
  const said = events.flatMap((event) => ('error' in event && event.error ? [event.error.message] : []));
  return { failed, status: record?.status, said: said.join('\n'), items: transactions.items };
}

const explained = /expected a function that starts the effect; got a promise.*docs\/errors\.md#effect-no-function$/m;

describe('claim.effect of a promise', () => {
  test('that comes to its end has had its effect: the claim completes, no attempt repeats it, and the mistake is said', async () => {
    let sent = 0;
    const send = async () => ++sent;
    const { failed, status, said } = await deliver((claim) => claim.effect(untyped(send())), 'retry', 3);
    expect({ failed, status, sent }).toEqual({ failed: [], status: 'completed', sent: 1 });
    expect(said).toMatch(explained);
  });

  test.each([
    ['park', 'parked', ['m']],
    ['retry', 'released', ['m']],
  ] as const)('that fails without a word is in doubt, by the policy: %s', async (onAbandoned, status, failed) => {
    const fails = () => Promise.reject(new Error('reset'));
    const ended = await deliver((claim) => claim.effect(untyped(fails())), onAbandoned);
    expect(ended).toMatchObject({ status, failed });
    expect(ended.said).toMatch(explained);
  });

  test('cannot be hidden: a handler that catches the error of one that failed does not complete', async () => {
    const fails = () => Promise.reject(new Error('reset'));
    const { status } = await deliver((claim) => claim.effect(untyped(fails())).catch(() => undefined));
    expect(status).toBe('parked');
  });

  test.each([undefined, null, 7, {}, 'send'])(
    'nor is %s an effect: the claim does not complete without one',
    async (start) => {
      const { status, said, failed } = await deliver(async (claim) => {
        try {
          await claim.effect(untyped(start));
        } catch {
          // Whatever the handler makes of it.
        }
      }, 'retry');
      expect({ status, failed }).toEqual({ status: 'released', failed: ['m'] });
      expect(said).toContain('claim.effect: expected a function that starts the effect; got a value of type');
    },
  );
});

describe('a step of a promise', () => {
  test('is in doubt and parks, so that no attempt begins it again', async () => {
    let sent = 0;
    const send = async () => ++sent;
    const handle = (claim: Claim) => step(claim, 'receipt', untyped(send()), { onAbandoned: 'park' });
    const { failed, status, said } = await deliver(handle, 'retry', 3);
    expect({ failed, status, sent }).toEqual({ failed: ['m'], status: 'parked', sent: 1 });
    expect(said).toMatch(/step receipt: expected a function that starts the effect; got a promise/);
  });

  test('parks also where the handler catches the error, and where the promise fails', async () => {
    const rejections = await unhandledRejections(async () => {
      const { status } = await deliver(async (claim) => {
        try {
          await step(claim, 'receipt', untyped(Promise.reject(new Error('reset'))), { onAbandoned: 'park' });
        } catch {
          // Whatever the handler makes of it.
        }
      }, 'retry');
      expect(status).toBe('parked');
    });
    expect(rejections).toEqual([]);
  });

  test('comes again where the step may be repeated', async () => {
    const handle = (claim: Claim) => step(claim, 'receipt', untyped(Promise.resolve(1)), { onAbandoned: 'retry' });
    expect(await deliver(handle, 'retry')).toMatchObject({ status: 'released', failed: ['m'] });
  });
});

describe('writes that are no list', () => {
  const wrong: Readonly<Record<string, (claim: Claim) => unknown>> = {
    'commit of a promise': (claim) => commit(claim, untyped(Promise.resolve([put]))),
    'commit of one write': (claim) => commit(claim, untyped(put)),
    'commit of nothing': (claim) => commit(claim, untyped(undefined)),
    'commitStep of a promise': (claim) => commitStep(claim, 'reserve', untyped(Promise.resolve([put]))),
    'commitStep of one write': (claim) => commitStep(claim, 'reserve', () => untyped(put)),
  };
  test.each(Object.entries(wrong))('%s: nothing is committed, and the message comes again', async (_, handle) => {
    const { failed, said, items } = await deliver(handle, 'retry');
    expect(failed).toEqual(['m']);
    expect(items.size).toBe(0);
    expect(said).toMatch(/writes/);
    expect(said).toMatch(/See node_modules\/pawl\/docs\/errors\.md#/);
  });
});

describe('a forgotten await', () => {
  test.each([
    [
      'claim.effect',
      'returned while its effect, a step or a call of once was under way',
      (claim: Claim) => void claim.effect(() => new Promise((resolve) => setTimeout(resolve, 5))),
    ],
    [
      'step',
      'returned and had not awaited its step a',
      (claim: Claim) =>
        void step(claim, 'a', () => new Promise((resolve) => setTimeout(resolve, 5)), { onAbandoned: 'park' }),
    ],
  ])('of %s is said once for an operation, and what it started is waited for', async (_, said, handle) => {
    const lines = await warnedBy(async () => {
      expect(await deliver(handle, 'retry', 1)).toMatchObject({ failed: [], status: 'completed' });
    });
    expect(lines).toMatch(new RegExp(`${said}.*docs/errors\\.md#not-awaited$`));
  });

  test('is not said of a handler that awaits, or returns its promise', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 5));
    const lines = await warnedBy(async () => {
      await deliver(async (claim) => void (await claim.effect(slow)));
      await deliver((claim) => claim.effect(slow));
      await deliver((claim) => Promise.all([step(claim, 'a', slow, { onAbandoned: 'park' })]), 'retry');
    });
    expect(lines).toBe('');
  });

  test('of a call of once outside of any handler is of Node to say: nothing is swallowed, and no timer is left', async () => {
    const call = once(
      { operation: 'outside', store: memoryStore(), key: (id: string) => id, onAbandoned: 'park', onEvent() {} },
      () => Promise.reject(new Error('reset')),
    );
    const unhandled: unknown[] = [];
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const heard = new Promise<void>((resolve) => {
      process.on('unhandledRejection', (error) => {
        unhandled.push(error);
        resolve();
      });
    });
    // A handler of another file, which never ends, may have the call: to the process, that file and this one are one function.
    const { unseen } = processWide('claims.calls-of-once/1', () => ({ unseen: new Set<object>() }));
    const hanging = [...unseen];
    unseen.clear();
    try {
      const lines = await warnedBy(async () => {
        void call('7');
        await heard;
      });
      expect(lines).toBe('');
      expect(unhandled).toEqual([expect.objectContaining({ message: 'reset' })]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const other of others) process.on('unhandledRejection', other);
      for (const one of hanging) unseen.add(one);
    }
  });
});

describe('what a process shows of its set-up', () => {
  const message = (body: object) => sqsEvent(sqsRecord(body));

  test('a path of ignore that no input had is said once, after a hundred inputs', async () => {
    const call = once(
      {
        operation: 'charge',
        store: memoryStore(),
        key: ({ id }: { id: number }) => id,
        fingerprint: { ignore: ['totl', 'at', 'items.*.seen'] },
        onAbandoned: 'park',
      },
      () => 1,
    );
    const early = await warnedBy(async () => {
      for (let id = 0; id < 99; id++) await call({ id, total: 3, at: id, items: [{ seen: 1 }] } as { id: number });
    });
    expect(early).toBe('');
    const lines = await warnedBy(async () => {
      for (let id = 0; id < 200; id++) await call({ id: 100 + id, total: 3 } as { id: number });
    });
    expect(lines.split('\n')).toHaveLength(1);
    expect(lines).toContain("ignore names 'totl', which none of the first 100 inputs had");
  });

  test('of a queue as well, and not where each path was there in one message at least', async () => {
    const options = (ignore: readonly string[]) => ({
      operation: `ignored-${ignore}`,
      store: memoryStore(),
      key: bodyField('id'),
      fingerprint: { ignore },
      onAbandoned: 'park' as const,
      aws: noQueue,
    });
    const wrong = eachMessage(options(['trace']), () => 1);
    const right = eachMessage(options(['traceId']), () => 1);
    const lines = await warnedBy(async () => {
      for (let id = 0; id < 101; id++) {
        await wrong(message({ id: `${id}`, traceId: 't' }), context());
        await right(message({ id: `${id}`, ...(id === 50 && { traceId: 't' }) }), context());
      }
    });
    expect(lines.split('\n')).toHaveLength(1);
    expect(lines).toContain("'trace'");
  });

  test('two handlers of one operation and one store, of which one never runs, are said once', async () => {
    const options = { operation: 'order', store: memoryStore(), onAbandoned: 'park' as const };
    const charge = once({ ...options, key: (id: string) => id }, () => 'charged');
    const mail = eachMessage({ ...options, key: bodyField('id'), aws: noQueue }, () => 'mailed');
    const lines = await warnedBy(async () => {
      await charge('7');
      await mail(message({ id: '7' }), context());
      await mail(message({ id: '7' }), context());
    });
    expect(lines.split('\n')).toHaveLength(1);
    expect(lines).toMatch(/two handlers of this process have the operation 'order' and one store.*#same-operation$/);
  });

  test.each<readonly [string, (options: Both) => Promise<unknown>]>([
    [
      'eachTransaction',
      async (options) => {
        const handler = eachTransaction({ ...options, key: bodyField('id'), aws: noQueue }, () => [put]);
        await handler(message({ id: '7' }), context());
      },
    ],
    [
      'onceOverHttp',
      (options) =>
        onceOverHttp({ ...options, onAbandoned: 'park', key: () => '7', caller: 'anyone' }, async () => ({
          statusCode: 200,
        }))(apiGatewayV2({}), context()),
    ],
  ])('so are a handler of %s and another one, whichever runs', async (door, call) => {
    const charge = (options: Both) =>
      once({ ...options, key: (id: string) => id, onAbandoned: 'park' }, () => `charged beside ${door}`)('7');
    for (const [at, both] of [
      [call, charge],
      [charge, call],
    ].entries()) {
      const { store } = memoryTransactions(memoryStore());
      const options = { operation: `${door}-${at}`, store, onEvent: () => undefined };
      const lines = await warnedBy(async () => {
        for (const one of both) await one(options);
      });
      expect(lines).toMatch(/two handlers of this process have the operation.*#same-operation$/);
    }
  });

  test('not of one that is made twice, of another store, or of one that runs as well', async () => {
    const store = memoryStore();
    const made = (more: object, fn: () => string) =>
      once({ operation: 'two', store, key: (id: string) => id, onAbandoned: 'park', ...more }, fn);
    const lines = await warnedBy(async () => {
      const same = () => made({}, () => 'charged');
      await same()('7');
      await same()('7');
      await made({ store: memoryStore() }, () => 'elsewhere')('7');
      const other = made({}, () => 'mailed');
      await other('8');
      await other('7');
    });
    expect(lines).toBe('');
  });
});
