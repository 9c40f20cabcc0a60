import { describe, expect, it } from 'vitest';
import { memoryStore, RejectedError, RetryableError, reconcile } from '../../../lib/pawl/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { successor } from '../../../lib/pawl/rules/successor.ts';
import { bodyField, eachMessage, type SqsOptions } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string };

/** A consumer on a store and a clock of its own, that notes what ran. */
function setUp(options: Partial<SqsOptions<Order>> = {}, effect: (orderId: string) => unknown = () => undefined) {
  const store = memoryStore();
  const host = virtualHost();
  const ran: string[] = [];
  const events: string[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      aws: noQueue,
      store,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      // The queue of these tests is a text: there is nobody to tell how long a message stays invisible.
      backoffSeconds: () => undefined,
      onEvent: ({ type }) => events.push(type),
      host,
      ...options,
    },
    async ({ body }) => {
      ran.push(body.orderId);
      return effect(body.orderId);
    },
  );
  const call = (...records: ReturnType<typeof sqsRecord>[]) => handler(sqsEvent(...records), context(30_000, host.now));
  return { store, host, ran, events, handler, call };
}

const order = (orderId: string) => sqsRecord({ orderId });
/** The same message, as SQS shows it again. */
const deliveredAgain = (record: ReturnType<typeof order>, receiveCount: number) => ({
  ...record,
  attributes: { ...record.attributes, ApproximateReceiveCount: String(receiveCount) },
});

describe('eachMessage', () => {
  it('runs a first delivery, and acknowledges every later one without running it', async () => {
    const { call, ran, events } = setUp();
    expect(failuresOf(await call(order('a')))).toEqual([]);
    expect(failuresOf(await call(order('a'), order('b')))).toEqual([]);
    expect(ran).toEqual(['a', 'b']);
    expect(events).toContain('replayed');
  });

  it('gives the handler an effect key and a fence; the first stays the same over attempts, the second grows', async () => {
    const seen: unknown[] = [];
    const store = memoryStore();
    const handler = eachMessage<Order>(
      {
        operation: 'send-email',
        aws: noQueue,
        store,
        key: bodyField('orderId'),
        onAbandoned: 'retry',
        onEvent: () => undefined,
      },
      async (_, { effectKey, attempt, fence }) => {
        seen.push({ effectKey, attempt, fence });
        if (attempt < 3) throw new Error('not yet');
      },
    );
    for (let delivery = 1; delivery <= 3; delivery++) await handler(sqsEvent(order('a')), context());
    expect(seen).toEqual([1, 2, 3].map((n) => ({ effectKey: 'send-email#a', attempt: n, fence: n })));
  });

  it('names exactly the messages that did not finish (consumer.ts 1)', async () => {
    const { call, ran } = setUp({}, (orderId) => {
      if (orderId === 'bad') throw new Error('no');
    });
    const bad = order('bad');
    expect(failuresOf(await call(order('a'), bad, order('b')))).toEqual([bad.messageId]);
    expect(ran.sort()).toEqual(['a', 'b', 'bad']);
  });

  it('runs a key repeated inside a batch once, and lets the repeats share its outcome (batch-run.ts 3)', async () => {
    const good = setUp();
    expect(failuresOf(await good.call(order('a'), order('a'), order('a')))).toEqual([]);
    expect(good.ran).toEqual(['a']);
    expect(good.events.filter((type) => type === 'repeated')).toHaveLength(2);

    const bad = setUp({}, () => {
      throw new Error('no');
    });
    const both = [order('a'), order('a')] as const;
    expect(failuresOf(await bad.call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(bad.ran).toEqual(['a']);
  });

  it.each([
    ['is missing', {}],
    ['is null', { orderId: null }],
    ['is an empty string', { orderId: '' }],
    ['is a number that JSON has rounded', '{"orderId": 12345678901234567890}'],
    ['is an object', { orderId: { id: 1 } }],
  ])('never runs a message whose key %s, and never takes two such for each other', async (_, body) => {
    const { call, ran, store } = setUp();
    const both = [sqsRecord(body), sqsRecord(body)] as const;
    expect(failuresOf(await call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(ran).toEqual([]);
    expect(store.records()).toEqual([]);
  });

  it('takes 0 for a key', async () => {
    const { call, store } = setUp();
    expect(failuresOf(await call(sqsRecord({ orderId: 0 })))).toEqual([]);
    expect(store.records()).toMatchObject([{ id: 'send-email#0', status: 'completed' }]);
  });

  it('works on at most `concurrency` messages at once (batch-run.ts 1)', async () => {
    let running = 0;
    let most = 0;
    const { handler, host } = setUp({ concurrency: 3 }, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    });
    await handler(sqsEvent(...Array.from({ length: 20 }, (_, n) => order(`o-${n}`))), context(30_000, host.now));
    expect(most).toBe(3);
  });

  it('starts nothing that cannot end before the invocation does, and claims nothing for it', async () => {
    const { handler, host, ran, store } = setUp({ timeoutMs: 5000, marginMs: 1000 });
    const late = order('a');
    expect(failuresOf(await handler(sqsEvent(late), context(6000, host.now)))).toEqual([late.messageId]);
    expect(ran).toEqual([]);
    expect(store.records()).toEqual([]);
    expect(failuresOf(await handler(sqsEvent(late), context(6001, host.now)))).toEqual([]);
  });

  it('runs nothing when the store is down, and leaves every message on the queue (consumer.ts 4)', async () => {
    const down = { read: () => Promise.reject(new Error('down')), write: () => Promise.reject(new Error('down')) };
    const { call, ran, events } = setUp({ store: down });
    const both = [order('a'), order('b')] as const;
    expect(failuresOf(await call(...both))).toEqual(both.map(({ messageId }) => messageId).sort());
    expect(ran).toEqual([]);
    expect(events).toEqual(['store-unavailable', 'store-unavailable']);
  });

  it('acknowledges what the provider says has happened, even if that cannot be recorded any more', async () => {
    const kept = memoryStore();
    const store: ClaimStore = {
      read: kept.read,
      write: async (write) => {
        if (write.next.status !== 'completed') return kept.write(write);
        return { applied: false, found: { ...write.next, claimId: 'somebody else' } };
      },
    };
    const { call, host } = setUp(
      { store, onAbandoned: reconcile({ ask: () => ({ verdict: 'applied' }), settleMs: 0 }) },
      () => Promise.reject(new Error('socket hang up')),
    );
    expect(failuresOf(await call(order('o-1')))).toHaveLength(1);
    await host.advance(5000);
    expect(failuresOf(await call(order('o-1')))).toHaveLength(0);
  });

  it('acknowledges what it has done, even if that cannot be recorded, and even if the handler failed after it', async () => {
    const host = virtualHost();
    const memory = memoryStore();
    /** It takes the claim, and nothing after it. */
    const store: ClaimStore = {
      read: memory.read,
      write: (write) => (write.seen ? Promise.reject(new Error('the store is down')) : memory.write(write)),
    };
    const handler = eachMessage<Order>(
      {
        operation: 'send-email',
        aws: noQueue,
        store,
        key: bodyField('orderId'),
        onAbandoned: 'park',
        marksEffect: true,
        onEvent: () => undefined,
        backoffSeconds: () => undefined,
        host,
      },
      async ({ body }, claim) => {
        if (body.orderId === 'not sent') throw new Error('the template is missing');
        await claim.effect(() => 'sent');
        if (body.orderId === 'sent, and failed') throw new Error('the metrics could not be flushed');
      },
    );
    const batch = [order('sent'), order('sent, and failed'), order('not sent')] as const;
    const response = handler(sqsEvent(...batch), context(30_000, host.now));
    await host.advance(60_000);
    expect(failuresOf(await response)).toEqual([batch[2].messageId]);
  });

  it('acknowledges what can never run once it is safe in the dead-letter queue, and not before (consumer.ts 1)', async () => {
    const buried: string[] = [];
    const safe = { send: async (_: unknown, { messageId }: { messageId: string }) => void buried.push(messageId) };
    const down = { send: () => Promise.reject(new Error('AccessDenied')) };
    const unreadable = sqsRecord('{"orderId":');
    expect(failuresOf(await setUp({ deadLetters: safe }).call(unreadable))).toEqual([]);
    expect(buried).toEqual([unreadable.messageId]);
    expect(failuresOf(await setUp({ deadLetters: down }).call(unreadable))).toEqual([unreadable.messageId]);
    expect(failuresOf(await setUp().call(unreadable))).toEqual([unreadable.messageId]);
  });

  it('refuses an event that is not a batch, and a call without a context', async () => {
    const { handler } = setUp();
    await expect(handler({} as never, context())).rejects.toThrow(/expected an event of SQS/);
    await expect(handler(sqsEvent(), undefined as never)).rejects.toThrow(
      /expected Lambda's context as the second argument/,
    );
  });

  it('defers, and does not discard, the redelivery of a message that may hold the claim itself', async () => {
    const inner = memoryStore();
    let lost = true;
    const store: typeof inner = {
      ...inner,
      async write(write) {
        const result = await inner.write(write);
        if (lost) throw new Error('the answer was lost');
        return result;
      },
    };
    const { handler, host, ran } = setUp({ store, onInFlight: 'discard' });
    const message = sqsRecord({ orderId: 'a' });
    const deliver = (record: typeof message) => handler(sqsEvent(record), context(30_000, host.now));
    expect(failuresOf(await deliver(message))).toHaveLength(1);
    lost = false;
    await host.advance(10_000);
    expect(failuresOf(await deliver(deliveredAgain(message, 2)))).toHaveLength(1);
    expect(failuresOf(await deliver(order('a')))).toEqual([]);
    await host.advance(30_000);
    expect(failuresOf(await deliver(deliveredAgain(message, 3)))).toEqual([]);
    expect(ran).toEqual(['a']);
  });

  it('discards only another message than the one that holds the claim, whatever the clocks say, and none where that is not known (consumer.ts 5)', async () => {
    const { handler, host, store } = setUp({ onInFlight: 'discard' }, () => new Promise(() => undefined));
    const deliver = (record: ReturnType<typeof order>) => handler(sqsEvent(record), context(30_000, host.now));
    const message = order('a');
    void deliver(message);
    await host.advance(3000);
    // A slow first delivery meets the second one of its own message, which says that it was received long after.
    const late = sqsRecord({ orderId: 'a' }, { messageId: message.messageId, firstReceivedAt: host.now() + 60_000 });
    expect(failuresOf(await deliver(late))).toHaveLength(1);
    const early = sqsRecord({ orderId: 'a' }, { firstReceivedAt: host.now() - 60_000 });
    expect(failuresOf(await deliver(early))).toEqual([]);
    // As a consumer without the option leaves it.
    const [held] = store.records();
    if (held) await store.write({ next: successor(held, { ...held, source: undefined }), seen: held });
    expect(failuresOf(await deliver(early))).toHaveLength(1);
  });

  it('defers a copy of the message that holds the claim: an operator has redriven it whose clock is ahead, and there is no other copy', async () => {
    const { handler, host } = setUp({ onInFlight: 'discard' }, () => new Promise(() => undefined));
    const deliver = (record: ReturnType<typeof order>) => handler(sqsEvent(record), context(30_000, host.now));
    const copyOf = ({ messageId: stringValue }: ReturnType<typeof order>) =>
      sqsRecord(
        { orderId: 'a' },
        { messageAttributes: { 'pawl-source-message-id': { dataType: 'String', stringValue } } },
      );
    const message = order('z');
    // What holds the claim is a copy itself.
    void deliver(copyOf(message));
    await host.advance(3000);
    expect(failuresOf(await deliver(copyOf(message)))).toHaveLength(1);
    // Another message is discarded as ever.
    expect(failuresOf(await deliver(order('a')))).toEqual([]);
  });

  it('defers the message that holds a claim of a version which does not write down whose it is', async () => {
    const { handler, host, store } = setUp({ onInFlight: 'discard' }, () => new Promise(() => undefined));
    const deliver = (record: ReturnType<typeof order>) => handler(sqsEvent(record), context(30_000, host.now));
    const holder = order('a');
    void deliver(order('a'));
    await host.advance(31_000);
    const [abandoned] = store.records();
    if (abandoned === undefined) throw new Error('nothing was claimed');
    const { fence } = abandoned;
    const takenOver = {
      ...abandoned,
      claimId: 'of an earlier version',
      fence: fence + 1,
      leaseUntil: host.now() + 30_000,
    };
    await store.write({ next: successor(abandoned, takenOver), seen: abandoned });
    expect(failuresOf(await deliver(deliveredAgain(holder, 2)))).toEqual([holder.messageId]);
  });

  it('is not disturbed by a listener that fails at once or later, and refuses to work on nothing at a time', async () => {
    for (const onEvent of [
      () => {
        throw new Error('at once');
      },
      async () => {
        throw new Error('later');
      },
    ]) {
      const { call, ran } = setUp({ onEvent });
      expect(failuresOf(await call(order('a')))).toEqual([]);
      expect(ran).toEqual(['a']);
    }
    expect(() => setUp({ concurrency: 0 })).toThrow(/^concurrency: expected at least 1, .*; got 0/);
  });

  it('says nothing of a body in any event or error', async () => {
    const said: unknown[] = [];
    const secret = 'card-4111-1111';
    const handler = eachMessage<Order>(
      {
        operation: 'send-email',
        aws: noQueue,
        store: memoryStore(),
        key: (message) => {
          throw new Error(`cannot read ${message.record.body}`);
        },
        onAbandoned: 'retry',
        onEvent: (event) => said.push(event),
      },
      () => undefined,
    );
    await handler(sqsEvent(sqsRecord(`not json ${secret}`), sqsRecord({ secret })), context());
    expect(said).toHaveLength(3);
    expect(JSON.stringify(said)).not.toContain(secret);
  });
});

describe('eachMessage on a FIFO queue', () => {
  const inGroup = (group: string, orderId: string) => sqsRecord({ orderId }, { group });

  it('keeps the order inside a group, and lets groups run side by side (batch-run.ts 2)', async () => {
    const { call, ran } = setUp({}, () => new Promise((resolve) => setImmediate(resolve)));
    await call(inGroup('g1', 'a1'), inGroup('g2', 'b1'), inGroup('g1', 'a2'), inGroup('g2', 'b2'), inGroup('g1', 'a3'));
    expect(ran.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(ran.filter((id) => id.startsWith('b'))).toEqual(['b1', 'b2']);
    expect(ran.indexOf('b1')).toBeLessThan(ran.indexOf('a2'));
  });

  it('runs nothing of a group after its first failure, and goes on with the other groups (batch-run.ts 2)', async () => {
    const { call, ran } = setUp({}, (orderId) => {
      if (orderId === 'a2') throw new Error('no');
    });
    const [a2, a3] = [inGroup('g1', 'a2'), inGroup('g1', 'a3')];
    const response = await call(inGroup('g1', 'a1'), a2, inGroup('g2', 'b1'), a3, inGroup('g2', 'b2'));
    expect(failuresOf(response)).toEqual([a2.messageId, a3.messageId].sort());
    expect(ran.sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('runs nothing of a group after a message that can never run', async () => {
    const { call, ran } = setUp();
    const [bad, next] = [sqsRecord('no json', { group: 'g1' }), inGroup('g1', 'a2')];
    expect(failuresOf(await call(bad, next))).toEqual([bad.messageId, next.messageId].sort());
    expect(ran).toEqual([]);
  });

  it('takes a message group on a standard queue for fairness, not for order', async () => {
    const { call, ran } = setUp({}, (orderId) => {
      if (orderId === 'a1') throw new Error('no');
    });
    const fair = (orderId: string) =>
      sqsRecord({ orderId }, { group: 'tenant', eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders' });
    const first = fair('a1');
    expect(failuresOf(await call(first, fair('a2')))).toEqual([first.messageId]);
    expect(ran).toEqual(['a1', 'a2']);
  });
});

describe('what an error says about the effect', () => {
  const thrown = (error: Error) => () => {
    throw error;
  };
  const statusAfter = async (options: Partial<SqsOptions<Order>>, error: Error) => {
    const { call, store } = setUp(options, thrown(error));
    await call(order('a'));
    return store.records()[0];
  };

  it('is nothing, unless it is known: retry releases in doubt, park parks', async () => {
    expect(await statusAfter({ onAbandoned: 'retry' }, new Error('socket hang up'))).toMatchObject({
      status: 'released',
      unknownAt: expect.any(Number),
    });
    expect(await statusAfter({ onAbandoned: 'park' }, new Error('socket hang up'))).toMatchObject({
      status: 'parked',
      error: { name: 'outcome-unknown', message: 'Error: socket hang up' },
    });
  });

  it('RetryableError: nothing was applied, so even park tries again', async () => {
    const released = await statusAfter({ onAbandoned: 'park' }, new RetryableError('busy'));
    expect(released).toMatchObject({ status: 'released', error: { name: 'RetryableError', message: 'busy' } });
    expect(released?.unknownAt).toBeUndefined();
  });

  it('RejectedError: final, and the duplicate is not run', async () => {
    const { call, ran, store } = setUp({}, thrown(new RejectedError('sold out')));
    const [first, second] = [order('a'), order('a')];
    expect(failuresOf(await call(first))).toEqual([first.messageId]);
    expect(failuresOf(await call(second))).toEqual([second.messageId]);
    expect(ran).toEqual(['a']);
    expect(store.records()).toMatchObject([{ status: 'rejected', error: { message: 'sold out' } }]);
  });

  it('an error of the author that is called RetryableError is not ours', async () => {
    const impostor = Object.assign(new Error('who knows'), { name: 'RetryableError' });
    expect(await statusAfter({ onAbandoned: 'park' }, impostor)).toMatchObject({ status: 'parked' });
  });

  it('classify decides what the author knows, and a classify that throws has said nothing', async () => {
    const rejected = await statusAfter({ classify: () => 'rejected' }, new Error('410'));
    expect(rejected).toMatchObject({ status: 'rejected' });
    const broken = () => {
      throw new Error('oops');
    };
    expect(await statusAfter({ onAbandoned: 'park', classify: broken }, new Error('?'))).toMatchObject({
      status: 'parked',
    });
  });
});

describe('the outcome of a message', () => {
  /** A store whose writes wait until the test lets them through, in the order in which they came. */
  function setUpSlow(options: Partial<SqsOptions<Order>> = {}) {
    const memory = memoryStore();
    const waiting: { readonly what: string; readonly pass: () => void }[] = [];
    const slow: ClaimStore = {
      read: (id) => memory.read(id),
      async write(write) {
        await new Promise<void>((pass) => {
          waiting.push({ what: `${write.next.status} ${write.next.id.split('#')[1]}`, pass });
        });
        return memory.write(write);
      },
    };
    const { host, ran, call } = setUp({ store: slow, concurrency: 2, ...options });
    return {
      memory,
      ran,
      host,
      call,
      whatWaits: () => waiting.map(({ what }) => what),
      async pass(what: string) {
        const at = waiting.findIndex((one) => one.what === what);
        waiting.splice(at, 1)[0]?.pass();
        await host.advance(0);
      },
    };
  }

  it('is recorded while the next one asks for its claim: the two share a request', async () => {
    const { ran, host, call, whatWaits, pass } = setUpSlow();
    const called = call(order('a'), order('b'), order('c'));
    await host.advance(0);
    expect(whatWaits()).toEqual(['in-flight a', 'in-flight b']);
    await pass('in-flight a');
    expect(whatWaits()).toEqual(['in-flight b', 'completed a', 'in-flight c']);
    await pass('in-flight c');
    expect(ran).toEqual(['a', 'c']);
    for (const what of ['completed a', 'in-flight b', 'completed c', 'completed b']) await pass(what);
    expect(failuresOf(await called)).toEqual([]);
  });

  it('is recorded before the next one begins under concurrency: 1, so that a crash leaves one message in doubt', async () => {
    const { ran, host, call, whatWaits, pass } = setUpSlow({ concurrency: 1 });
    const called = call(order('a'), order('b'));
    await host.advance(0);
    await pass('in-flight a');
    expect([ran, whatWaits()]).toEqual([['a'], ['completed a']]);
    for (const what of ['completed a', 'in-flight b', 'completed b']) await pass(what);
    expect(failuresOf(await called)).toEqual([]);
  });

  it('is recorded before the next one of its message group begins', async () => {
    const { ran, host, call, whatWaits, pass } = setUpSlow();
    const inGroup = (orderId: string) => sqsRecord({ orderId }, { group: 'g' });
    const called = call(inGroup('a'), inGroup('b'));
    await host.advance(0);
    await pass('in-flight a');
    expect(whatWaits()).toEqual(['completed a']);
    expect(ran).toEqual(['a']);
    for (const what of ['completed a', 'in-flight b', 'completed b']) await pass(what);
    expect(failuresOf(await called)).toEqual([]);
  });

  it('is recorded before what may have killed a worker runs: it could take the outcome along', async () => {
    const { memory, ran, host, call, whatWaits, pass } = setUpSlow();
    const id = 'send-email#suspect';
    const counts = { fence: 1, attempts: 1, abandoned: 0, rev: 1, v: 1 } as const;
    const times = { leaseUntil: host.now() - 60_000, firstSeenAt: host.now() - 90_000, expiresAt: undefined };
    await memory.write({ next: { id, status: 'in-flight', claimId: 'dead', ...counts, ...times }, seen: undefined });
    const called = call(deliveredAgain(order('suspect'), 2), order('a'));
    await host.advance(0);
    await pass('in-flight a');
    expect([ran, whatWaits()]).toEqual([['a'], ['completed a']]);
    await pass('completed a');
    expect(whatWaits()).toEqual(['in-flight suspect']);
    for (const what of ['in-flight suspect', 'completed suspect']) await pass(what);
    expect(failuresOf(await called)).toEqual([]);
    expect(ran).toEqual(['a', 'suspect']);
  });
});
