import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { Work } from '../../../lib/pawl/engine/work.ts';
import { type ClaimEvent, memoryStore, once, RejectedError, reconcile } from '../../../lib/pawl/index.ts';
import { sleep } from '../../../lib/pawl/kernel/host.ts';
import { processWide } from '../../../lib/pawl/kernel/process-wide.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';
import { warnedBy } from './mistake.ts';

/** Handlers that compile, and return before their effect has happened: pawl waits, or says why it cannot. */

interface Order {
  readonly id: string;
}
const order: Order = { id: 'order-17' };
let operations = 0;

/** Delivers one message to a handler, in virtual time. */
async function deliver(handle: (order: Order, world: ReturnType<typeof worldOf>) => unknown) {
  const world = worldOf();
  const { host, store, operation } = world;
  const options = {
    operation,
    store,
    host,
    key: bodyField('id'),
    onAbandoned: 'park',
    aws: noQueue,
  } as const;
  const handler = eachMessage<Order>({ ...options, onEvent() {} }, ({ body }) => handle(body, world));
  let response: unknown;
  const warned = await warnedBy(async () => {
    const called = handler(sqsEvent(sqsRecord(order, { messageId: 'm' })), context(30_000, host.now));
    await host.advance(60_000);
    response = await called;
  });
  const record = await store.read(`${operation}#order-17`);
  return { warned, status: record?.status, failures: failuresOf(response), record };
}

function worldOf() {
  const host = virtualHost();
  return { host, store: memoryStore(), operation: `not-waited-${++operations}` };
}

describe('promises in what a handler returns', () => {
  const forms = {
    'a list': (send: () => Promise<unknown>) => [send(), send()],
    'an object': (send: () => Promise<unknown>) => ({ mail: send() }),
  };

  test.each(Object.entries(forms))('are waited for, in %s, and their errors count', async (_, form) => {
    const failed = await deliver((_, { host }) =>
      form(async () => {
        await sleep(host, 1000);
        throw new Error('503');
      }),
    );
    expect(failed).toMatchObject({ status: 'parked', failures: ['m'] });
    let sent = 0;
    const done = await deliver((_, { host }) =>
      form(async () => {
        await sleep(host, 1000);
        sent += 1;
      }),
    );
    expect(done).toMatchObject({ status: 'completed', failures: [] });
    expect(sent).toBeGreaterThan(0);
    expect(done.warned).toMatch(/returned promises in a list or an object, which nothing awaits.*#not-awaited$/m);
  });

  test('are none of theirs that are awaited', async () => {
    const { warned, status } = await deliver(async () => Promise.all([Promise.resolve(1), 2]));
    expect({ warned, status }).toEqual({ warned: '', status: 'completed' });
  });
});

test('a function in place of the effect says that nothing calls it, and the claim does not complete; one that comes later is only said', async () => {
  const { status, record } = await deliver(() => () => undefined);
  expect(status).toBe('parked');
  expect(record?.error?.message).toMatch(/returned a function, which nothing calls.*#wrong-handler$/);
  const later = await deliver(async () => () => undefined);
  expect(later.status).toBe('completed');
  expect(later.warned).toMatch(/returned a function, which nothing calls.*#wrong-handler$/);
});

describe('a handler that returns nothing, and no promise', () => {
  test('is said once: work that calls back is not waited for', async () => {
    const { warned } = await deliver((_, { host }) => void host.after(1000, () => undefined));
    expect(warned).toMatch(/returned nothing, and no promise.*util\.promisify.*#not-awaited$/);
  });

  test('is not, where it is async, returns a value, or has an effect of pawl', async () => {
    expect((await deliver(async () => undefined)).warned).toBe('');
    expect((await deliver(() => 'done')).warned).toBe('');
  });
});

describe('an outcome that is not done, returned to the handler around it', () => {
  /** A call that is parked. */
  const parked = ({ store, host }: ReturnType<typeof worldOf>) => {
    const options = { operation: 'inner', store, host, key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
    return once({ ...options, onEvent() {} }, () => Promise.reject(new Error('reset')));
  };

  test('means what the call would have thrown', async () => {
    const { status, failures } = await deliver(async (body, world) => {
      const inner = parked(world);
      await inner(body).catch(() => undefined);
      return inner.outcome(body);
    });
    expect({ status, failures }).toEqual({ status: 'parked', failures: ['m'] });
  });

  test('counts where no code looks at it', async () => {
    const { status, failures } = await deliver(async (body, world) => {
      const inner = parked(world);
      await inner(body).catch(() => undefined);
      void inner.outcome(body);
    });
    expect({ status, failures }).toEqual({ status: 'parked', failures: ['m'] });
  });

  test('is not kept as the result of a call of once', async () => {
    const world = worldOf();
    const inner = parked(world);
    await inner(order).catch(() => undefined);
    const options = { store: world.store, host: world.host, key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
    const outer = once({ ...options, operation: 'outer', onEvent() {} }, (body: Order) => inner.outcome(body));
    await expect(outer(order)).rejects.toThrow('an operator has to decide');
    expect((await world.store.read('outer#order-17'))?.status).toBe('parked');
  });

  test('counts in the settled results of a batch handler', async () => {
    const world = worldOf();
    const inner = parked(world);
    await inner(order).catch(() => undefined);
    const { store, host, operation } = world;
    const options = {
      operation,
      store,
      host,
      key: bodyField('id'),
      onAbandoned: 'park',
      aws: noQueue,
    } as const;
    const handler = middy(async () => Promise.allSettled([inner.outcome(order)]), { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Order>({ ...options, onEvent() {} }),
    );
    const event = sqsEvent(sqsRecord(order, { messageId: 'm' })) as SQSEvent;
    const response = await handler(event, context(30_000, host.now) as Context);
    expect(failuresOf(response)).toEqual(['m']);
    expect((await store.read(`${operation}#order-17`))?.status).toBe('parked');
  });

  test('is a result like another where it is done, or rejected and looked at', async () => {
    const world = worldOf();
    const { store, host } = world;
    const options = { store, host, key: ({ id }: Order) => id, onAbandoned: 'park', onEvent() {} } as const;
    const done = once({ ...options, operation: 'inner' }, () => 'sent');
    const refused = once({ ...options, operation: 'refused' }, () => Promise.reject(new RejectedError('no')));
    const outer = once({ ...options, operation: 'outer' }, async (body: Order) => {
      await refused(body).catch(() => undefined);
      const { outcome } = await refused.outcome(body);
      return { outcome, inner: await done.outcome(body) };
    });
    expect(await outer(order)).toMatchObject({ outcome: 'rejected', inner: { outcome: 'completed' } });
    const passedOn = once({ ...options, operation: 'passed-on' }, (body: Order) => done.outcome(body));
    expect(await passedOn(order)).toMatchObject({ outcome: 'completed', result: 'sent' });
  });
});

test('a call of once that begins when its handler has ended is said, and no other handler waits for it', async () => {
  // One that began before there was a function of once, and has not ended.
  const { unseen } = processWide('claims.calls-of-once/1', () => ({ unseen: new Set<object>() }));
  const other = { work: new Work() };
  unseen.add(other);
  const { warned } = await deliver(async (body, { host, store }) => {
    const options = { operation: 'too-late', store, host, key: ({ id }: Order) => id, onAbandoned: 'park' } as const;
    const notify = once({ ...options, onEvent() {} }, async () => 1);
    void sleep(host, 1000).then(() => notify(body));
  });
  expect(warned).toMatch(/a call of once with operation 'too-late' began when its handler had ended.*#not-awaited$/);
  unseen.delete(other);
  expect(other.work.isUnderWay).toBe(false);
});

test('a call of once that another middleware makes and awaits after the handler is none of these', async () => {
  const { host, store, operation } = worldOf();
  const given = { store, host, onAbandoned: 'park', onEvent() {} } as const;
  const audit = once({ ...given, operation: 'audit', key: ({ id }: Order) => id }, async () => 1);
  const handler = middy(async () => undefined, { timeoutEarlyInMillis: 0 })
    .use({ after: async () => void (await audit(order)) })
    .use(sqsOnce<Order>({ ...given, operation, key: bodyField('id'), aws: noQueue }));
  const event = sqsEvent(sqsRecord(order, { messageId: 'm' })) as SQSEvent;
  const warned = await warnedBy(() => handler(event, context(30_000, host.now) as Context));
  expect({ warned, audit: (await store.read('audit#order-17'))?.status }).toEqual({ warned: '', audit: 'completed' });
});

describe('a call of once', () => {
  const options = { store: memoryStore(), onAbandoned: 'park', onEvent: (_: ClaimEvent) => undefined } as const;

  test('for an event of several records is refused: one claim would stand for all of them', async () => {
    const call = once(
      { ...options, operation: 'batch', key: (event: SQSEvent) => event.Records[0]?.messageId },
      () => 1,
    );
    const [first, second] = [sqsRecord({ id: 1 }), sqsRecord({ id: 2 })];
    const warned = await warnedBy(async () => {
      await expect(call(sqsEvent(first, second) as SQSEvent)).rejects.toThrow('got an event of 2 records');
    });
    expect(warned).toContain("a call of once with operation 'batch' was refused");
    expect(await call(sqsEvent(first) as SQSEvent)).toBe(1);
  });

  test('is said where it is refused before it has a claim: its caller may swallow the error, once in a cold start for each reason', async () => {
    const call = once({ ...options, operation: 'swallowed', key: (input: Order) => input.id }, () => 1);
    const warned = await warnedBy(async () => {
      for (const wrong of [{ id: '' }, { id: '' }, undefined]) await call(wrong as Order).catch(() => undefined);
    });
    expect(warned.split('\n')).toHaveLength(2);
    expect(warned).toMatch(/the key is missing or empty.*\n.*Cannot read properties of undefined/);
  });

  test('has no key of blanks, nor of an object in a template', async () => {
    const call = once({ ...options, operation: 'keys', key: (key: string) => key }, () => 1);
    await warnedBy(async () => {
      await expect(call('  ')).rejects.toThrow('the key is missing or empty');
      await expect(call(`customer-${{}}`)).rejects.toThrow('an object was put into a template');
    });
  });

  test('says so where a key has the text of a missing field, and runs: it may be a name', async () => {
    const call = once({ ...options, operation: 'gaps', key: (key: string) => key }, () => 1);
    const warned = await warnedBy(async () => {
      for (const key of ['bucket/undefined', 'null', 'fine', 'undefinedly', 'nan']) expect(await call(key)).toBe(1);
    });
    expect(warned).toMatch(/^pawl: a key of operation 'gaps' has the text 'undefined' in it.*#missing-key$/);
  });

  test.each([[['', ''].join('-')], [JSON.stringify({ id: undefined })], ['[]'], ['/'], ['|'], ['¿¡']])(
    'says so where a key has no letter and no digit, as join and JSON make it of missing fields, and runs: %s',
    async (text) => {
      const call = once(
        { ...options, operation: `no-text-${text.codePointAt(0)}`, key: (key: string) => key },
        () => 1,
      );
      const warned = await warnedBy(async () => expect(await call(text)).toBe(1));
      expect(warned).toMatch(
        /has no letter and no digit in it, as join or JSON makes it of a missing field.*#missing-key$/,
      );
    },
  );

  test('says nothing of a key of another script, nor of a picture', async () => {
    const call = once({ ...options, operation: 'scripts', key: (key: string) => key }, () => 1);
    const warned = await warnedBy(async () => {
      for (const key of ['заказ', '注文', 'طلب', '٣', '🎁', '-1', 'é']) expect(await call(key)).toBe(1);
    });
    expect(warned).toBe('');
  });

  test('that a provider cannot settle yet is to be made again a second later, and not at once', async () => {
    const host = virtualHost();
    const ask = () => ({ verdict: 'inconclusive' }) as const;
    const onAbandoned = reconcile({ ask, settleMs: 0 });
    const given = { ...options, operation: 'settle', key: (key: string) => key, host, onAbandoned };
    const call = once(given, () => Promise.reject(new Error('reset')));
    await expect(call('a')).rejects.toThrow('reset');
    expect(await call.outcome('a')).toEqual({ outcome: 'in-doubt', retryAfterMs: 1000 });
  });
});
