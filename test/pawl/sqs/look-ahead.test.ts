import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { bodyField, eachMessage, type SqsOptions, snsEnvelope } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

interface Order {
  orderId: string;
}

/** A consumer over a store that answers reads when the test lets it, all of them together. */
function setUp(options: Partial<SqsOptions<Order>> = {}, effect: (orderId: string) => unknown = () => undefined) {
  const memory = memoryStore();
  const host = virtualHost();
  const ran: string[] = [];
  const reads: string[] = [];
  const writes: string[] = [];
  let answer = Promise.withResolvers<void>();
  const store: ClaimStore = {
    async read(id) {
      reads.push(id);
      await answer.promise;
      return memory.read(id);
    },
    write(write) {
      writes.push(write.next.id);
      return memory.write(write);
    },
  };
  const all: SqsOptions<Order> = {
    operation: 'send-email',
    aws: noQueue,
    store,
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    backoffSeconds: () => undefined,
    onEvent: () => undefined,
    host,
    ...options,
  };
  const handler = eachMessage<Order>(all, async ({ body }) => {
    ran.push(body.orderId);
    return effect(body.orderId);
  });
  const answerReads = () => {
    answer.resolve();
    answer = Promise.withResolvers<void>();
  };
  const call = (records: readonly ReturnType<typeof sqsRecord>[]) =>
    handler(sqsEvent(...records), context(900_000, host.now));
  return { memory, host, ran, reads, writes, options: all, handler, answerReads, call };
}

const again = (orderId: string, receiveCount = 2) => sqsRecord({ orderId }, { messageId: orderId, receiveCount });
const manyAgain = (count: number, receives = 2) => Array.from({ length: count }, (_, n) => again(`o-${n}`, receives));

function record(id: string, status: ClaimRecord['status']): ClaimRecord {
  const expiresAt = status === 'parked' ? undefined : someDay / 1000 + 3600;
  const counts = { fence: 1, attempts: 1, abandoned: 0, rev: 2, v: 1 } as const;
  const error = status === 'parked' ? { name: 'outcome-unknown', message: '' } : undefined;
  return { id, status, claimId: 'earlier', leaseUntil: someDay, firstSeenAt: someDay, expiresAt, error, ...counts };
}

describe('what was received before', () => {
  it('is looked at a hundred at a time, however few may run at once', async () => {
    const { memory, host, ran, reads, answerReads, call } = setUp({ concurrency: 10 });
    for (let n = 0; n < 150; n++) {
      await memory.write({ next: record(`send-email#o-${n}`, 'completed'), seen: undefined });
    }
    const called = call(manyAgain(150));
    await host.advance(0);
    expect(reads).toHaveLength(100);
    answerReads();
    await host.advance(0);
    expect(reads).toHaveLength(150);
    answerReads();
    expect(failuresOf(await called)).toEqual([]);
    expect(ran).toEqual([]);
    expect(reads).toHaveLength(150);
  });

  it('is looked at in the order of its turns: first what was received most often', async () => {
    const { host, reads, answerReads, call } = setUp({ concurrency: 10 });
    const often = Array.from({ length: 50 }, (_, n) => again(`often-${n}`, 3));
    const called = call([...manyAgain(100), ...often]);
    await host.advance(0);
    expect(reads).toHaveLength(100);
    expect(reads.slice(0, 50)).toEqual(often.map(({ messageId }) => `send-email#${messageId}`));
    answerReads();
    await host.advance(0);
    answerReads();
    expect(failuresOf(await called)).toEqual([]);
  });

  it('is claimed in its turn, and not ahead of it: a worker that dies leaves nothing in doubt that had not begun', async () => {
    const sends = Promise.withResolvers<void>();
    const { host, ran, writes, answerReads, call } = setUp({ concurrency: 2 }, () => sends.promise);
    const called = call(manyAgain(5));
    await host.advance(0);
    answerReads();
    await host.advance(0);
    expect(ran).toEqual(['o-0', 'o-1']);
    expect(writes).toHaveLength(2);
    sends.resolve();
    expect(failuresOf(await called)).toEqual([]);
  });

  it('is looked at once for a key that comes twice', async () => {
    const { host, ran, reads, answerReads, call } = setUp();
    const called = call([again('a'), { ...again('a'), messageId: 'a-2' }, again('b')]);
    await host.advance(0);
    expect(reads).toEqual(['send-email#a', 'send-email#b']);
    answerReads();
    expect(failuresOf(await called)).toEqual([]);
    expect(ran).toEqual(['a', 'b']);
  });

  it('is looked at again when its look is a second old: an operator may have released it since', async () => {
    const sends = Promise.withResolvers<void>();
    const { memory, host, ran, reads, answerReads, call } = setUp({ concurrency: 1 }, () => sends.promise);
    const parked = record('send-email#o-1', 'parked');
    await memory.write({ next: parked, seen: undefined });
    const called = call(manyAgain(3));
    await host.advance(0);
    answerReads();
    await host.advance(999);
    expect(ran).toEqual(['o-0']);
    await memory.write({ next: { ...record('send-email#o-1', 'released'), rev: 3 }, seen: parked });
    await host.advance(1);
    sends.resolve();
    await host.advance(0);
    expect(reads.slice(3)).toEqual(['send-email#o-1']);
    answerReads();
    await host.advance(0);
    answerReads();
    expect(failuresOf(await called)).toEqual([]);
    expect(ran).toEqual(['o-0', 'o-1', 'o-2']);
  });

  it('is looked at in its turn only, once handlers take so long that looks grow old', async () => {
    const { host, reads, answerReads, call } = setUp(
      { concurrency: 1 },
      () => new Promise<void>((resolve) => host.after(1500, resolve)),
    );
    const called = call(manyAgain(103));
    for (let turn = 0; turn < 103; turn++) {
      await host.advance(0);
      answerReads();
      await host.advance(1500);
    }
    await called;
    // 100 ahead, each of which but the first was too old in its turn; and then one by one.
    expect(reads).toHaveLength(100 + 99 + 3);
  });

  it('stays on its queue where the look fails, and runs when the store is there again', async () => {
    const { memory, host, ran, options } = setUp();
    let isDown = true;
    const read: ClaimStore['read'] = async (id) => {
      if (isDown) throw new Error('down');
      return memory.read(id);
    };
    const events: string[] = [];
    const handler = eachMessage<Order>(
      { ...options, store: { ...memory, read }, onEvent: ({ type }) => events.push(type) },
      async ({ body }) => void ran.push(body.orderId),
    );
    const call = () => handler(sqsEvent(again('a'), again('b')), context(30_000, host.now));
    expect(failuresOf(await call())).toEqual(['a', 'b']);
    expect(events).toEqual(['store-unavailable', 'store-unavailable']);
    isDown = false;
    expect(failuresOf(await call())).toEqual([]);
    expect(ran).toEqual(['a', 'b']);
  });

  it('is not looked at ahead in an envelope, or in a message group: what is in it, or behind it, is not known yet', async () => {
    const inGroup = setUp();
    const called = inGroup.call(['a', 'b'].map((id) => sqsRecord({ orderId: id }, { group: 'g', receiveCount: 2 })));
    await inGroup.host.advance(0);
    expect(inGroup.reads).toEqual(['send-email#a']);
    inGroup.answerReads();
    await inGroup.host.advance(0);
    inGroup.answerReads();
    expect(failuresOf(await called)).toEqual([]);
    expect(inGroup.ran).toEqual(['a', 'b']);

    const wrapped = setUp({ concurrency: 1, envelope: snsEnvelope() });
    const notification = (orderId: string) =>
      sqsRecord(
        {
          Type: 'Notification',
          MessageId: `m-${orderId}`,
          TopicArn: 'arn:aws:sns:eu-west-1:000000000000:orders',
          Message: JSON.stringify({ orderId }),
        },
        { receiveCount: 2 },
      );
    const opened = wrapped.call([notification('a'), notification('b')]);
    await wrapped.host.advance(0);
    expect(wrapped.reads).toEqual(['send-email#a']);
    wrapped.answerReads();
    await wrapped.host.advance(0);
    wrapped.answerReads();
    expect(failuresOf(await opened)).toEqual([]);
  });

  it.each([2, 3])(
    'is looked at all together, and once, by sqsOnce, which claims its whole batch: received %i times',
    async (receives) => {
      const { host, reads, options, answerReads } = setUp({ concurrency: 10 });
      const ran: number[] = [];
      const handler = middy(async (event: { Records: readonly unknown[] }) => {
        ran.push(event.Records.length);
      }).use(sqsOnce(options));
      const called = handler(sqsEvent(...manyAgain(60, receives)) as never, context(30_000, host.now) as never);
      await host.advance(0);
      expect(reads).toHaveLength(60);
      answerReads();
      await host.advance(0);
      expect(reads).toHaveLength(60);
      await called;
      expect(ran).toEqual([60]);
      expect(reads).toHaveLength(60);
    },
  );
});

describe('what was never received before', () => {
  const first = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => sqsRecord({ orderId: `o-${from + n}` }, { messageId: `m-${from + n}` }));

  it('is looked at a hundred at a time, once duplicates of what is done are met: a producer has sent all of it twice', async () => {
    const { memory, host, ran, reads, writes, answerReads, call } = setUp({ concurrency: 10 });
    for (let n = 0; n < 150; n++) {
      await memory.write({ next: record(`send-email#o-${n}`, 'completed'), seen: undefined });
    }
    const called = call(first(0, 150));
    await host.advance(0);
    expect(reads).toHaveLength(100);
    // The first ten had asked for their claims.
    expect(writes).toHaveLength(10);
    answerReads();
    await host.advance(0);
    expect(reads).toHaveLength(140);
    answerReads();
    expect(failuresOf(await called)).toEqual([]);
    expect([ran, writes.length]).toEqual([[], 10]);
  });

  it('is looked at by sqsOnce likewise', async () => {
    const { memory, host, reads, writes, options, answerReads } = setUp({ concurrency: 10 });
    for (let n = 0; n < 150; n++) {
      await memory.write({ next: record(`send-email#o-${n}`, 'completed'), seen: undefined });
    }
    const ran: unknown[] = [];
    const handler = middy(async (event: unknown) => void ran.push(event)).use(sqsOnce(options));
    const called = handler(sqsEvent(...first(0, 150)) as never, context(30_000, host.now) as never);
    await host.advance(0);
    expect([reads.length, writes.length]).toEqual([100, 10]);
    answerReads();
    await host.advance(0);
    expect([reads.length, writes.length]).toEqual([140, 10]);
    answerReads();
    await called;
    expect([reads.length, writes.length, ran]).toEqual([140, 10, []]);
  });

  it('is not looked at while most of it is new: each look would be a read too many', async () => {
    const { memory, host, reads, call, ran } = setUp({ concurrency: 10 });
    await memory.write({ next: record('send-email#o-5', 'completed'), seen: undefined });
    const called = call(first(0, 100));
    await host.advance(0);
    expect(failuresOf(await called)).toEqual([]);
    expect([reads, ran.length]).toEqual([[], 99]);
  });

  it('runs under a claim of its own where the look ahead has found nothing', async () => {
    const { memory, host, reads, writes, answerReads, call, ran } = setUp({ concurrency: 1 });
    await memory.write({ next: record('send-email#o-0', 'completed'), seen: undefined });
    const called = call(first(0, 4));
    await host.advance(0);
    expect(reads).toEqual(['send-email#o-1', 'send-email#o-2', 'send-email#o-3']);
    answerReads();
    expect(failuresOf(await called)).toEqual([]);
    expect(ran).toEqual(['o-1', 'o-2', 'o-3']);
    expect(writes.slice(0, 2)).toEqual(['send-email#o-0', 'send-email#o-1']);
  });

  it('is not looked at again when the store has failed for those before it: nothing is known of duplicates then', async () => {
    const { host, reads, options } = setUp({ concurrency: 1 });
    const down: ClaimStore = {
      read: async (id) => void reads.push(id) as never,
      write: () => Promise.reject(Object.assign(new Error('denied'), { name: 'AccessDeniedException' })),
    };
    const handler = eachMessage<Order>({ ...options, store: down }, () => undefined);
    const called = handler(sqsEvent(...first(0, 3)), context(30_000, host.now)).catch(() => undefined);
    await host.advance(60_000);
    await called;
    expect(reads).toEqual([]);
  });
});
