import middy from '@middy/core';
import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimStore, type ClaimWrite, memoryStore, once } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { eachTransaction } from '../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

interface Payment {
  readonly id: string;
}

const applied = (written: unknown) => (written as { readonly applied: boolean }).applied;

/** One key, and a table that may take its time to grant a claim. */
function setUp() {
  const host = virtualHost();
  const records = memoryStore();
  const ran: number[] = [];
  let grantMs = 0;
  const slow = (write: (one: ClaimWrite) => Promise<unknown>) => async (one: ClaimWrite) => {
    const written = await write(one);
    if (one.next.status === 'in-flight' && applied(written) && grantMs > 0)
      await new Promise<void>((done) => host.after(grantMs, done));
    return written;
  };
  const store = { ...records, write: slow(records.write) as ClaimStore['write'] };
  const shared = { operation: 'pay', store, host, onEvent: () => undefined } as const;
  const queue = {
    ...shared,
    key: bodyField('id'),
    fingerprint: () => 'the same',
    aws: noQueue,
    onAbandoned: 'park',
  } as const;
  let receives = 0;
  const event = () => sqsEvent(sqsRecord({ id: 'p-1' }, { messageId: 'm-1', receiveCount: ++receives }));
  /** A call whose invocation ends in so many milliseconds, of which the grant takes so many. */
  async function call<R>(invoke: (remainingMs: number) => Promise<R>, remainingMs: number, itsGrantMs: number) {
    grantMs = itsGrantMs;
    const running = invoke(remainingMs).catch((error: unknown) => error);
    await host.advance(remainingMs);
    grantMs = 0;
    return running;
  }
  const lambda = (remainingMs: number) => context(remainingMs, host.now);
  const record = () => records.read('pay#p-1');
  return { host, ran, records, store, shared, queue, event, call, lambda, record };
}

type World = ReturnType<typeof setUp>;
type Invoke = (remainingMs: number) => Promise<unknown>;

const doors: Readonly<Record<string, (world: World) => Invoke>> = {
  eachMessage({ queue, event, lambda, ran }) {
    const handler = eachMessage<Payment>({ ...queue, timeoutMs: 1000 }, (_, claim) => void ran.push(claim.attempt));
    return (remainingMs) => handler(event(), lambda(remainingMs));
  },
  sqsOnce({ queue, event, lambda, ran }) {
    const handler = middy(async (_: SQSEvent) => void ran.push(1), { timeoutEarlyInMillis: 0 }).use(
      sqsOnce<Payment>(queue),
    );
    return (remainingMs) => handler(event() as never, lambda(remainingMs) as never) as Promise<unknown>;
  },
  eachTransaction({ queue, store, event, lambda, ran }) {
    const { onAbandoned: _, ...options } = queue;
    const { store: committing } = memoryTransactions(store);
    const handler = eachTransaction<Payment>({ ...options, timeoutMs: 1000, store: committing }, () => {
      ran.push(1);
      return [{ Put: { TableName: 'ledger', Item: { id: 'entry' } } }];
    });
    // The first delivery is one transaction, which asks for no claim.
    event();
    return (remainingMs) => handler(event(), lambda(remainingMs));
  },
  once({ shared, ran }) {
    const pay = once<string, unknown>(
      { ...shared, key: (id) => id, onAbandoned: 'park', timeoutMs: 1000 },
      (_, claim) => void ran.push(claim.attempt),
    );
    return (remainingMs) => pay('p-1', { remainingMs: () => remainingMs });
  },
};

/** Of an invocation of 2.5 s, after how many ms it is granted: too late for a handler of `timeoutMs`, or for anything. */
const late = { 'the grant comes late': 1000, 'the grant is not waited for to its end': 1900 } as const;

for (const [door, open] of Object.entries(doors)) {
  describe(`a call that never starts, behind ${door}`, () => {
    for (const [how, grantMs] of Object.entries(late)) {
      // A batch handler says nothing about its time.
      if (door === 'sqsOnce' && grantMs === late['the grant comes late']) continue;
      it(`is no attempt: nineteen of them leave the key its first one (${how})`, async () => {
        const world = setUp();
        const invoke = open(world);
        for (let i = 0; i < 19; i++) await world.call(invoke, 2500, grantMs);
        expect(world.ran).toEqual([]);
        expect(await world.record()).toMatchObject({ status: 'released', attempts: 0 });
        expect((await world.record())?.unknownAt).toBeUndefined();
        await world.call(invoke, 20_000, 0);
        expect(world.ran).toEqual([1]);
        expect(await world.record()).toMatchObject({ status: 'completed', attempts: 1 });
        expect((await world.record())?.unstarted).toBeUndefined();
      });

      it(`is parked by a name of its own once the key has had as many of them as attempts (${how})`, async () => {
        const world = setUp();
        const invoke = open(world);
        for (let i = 0; i < 25; i++) await world.call(invoke, 2500, grantMs);
        expect(world.ran).toEqual([]);
        const record = await world.record();
        expect(record).toMatchObject({ status: 'parked', error: { name: 'never-started' } });
        expect(record?.unknownAt).toBeUndefined();
      });
    }
  });
}

describe('what never started', () => {
  it('is no attempt where another middleware answers before a batch handler is called', async () => {
    const world = setUp();
    let answersEarly = true;
    const handler = middy(async (_: SQSEvent) => void world.ran.push(1), { timeoutEarlyInMillis: 0 })
      .use(sqsOnce<Payment>(world.queue))
      .use({ before: () => (answersEarly ? { early: true } : undefined) });
    const invoke: Invoke = (remainingMs) =>
      handler(world.event() as never, world.lambda(remainingMs) as never) as Promise<unknown>;
    for (let i = 0; i < 19; i++) await world.call(invoke, 20_000, 0);
    expect(await world.record()).toMatchObject({ status: 'released', attempts: 0 });
    answersEarly = false;
    await world.call(invoke, 20_000, 0);
    expect(world.ran).toEqual([1]);
  });

  it('is counted anew after an attempt that did', async () => {
    const world = setUp();
    let fails = true;
    const handler = eachMessage<Payment>({ ...world.queue, timeoutMs: 1000, onAbandoned: 'retry' }, () => {
      if (fails) throw new Error('declined');
    });
    const invoke: Invoke = (remainingMs) => handler(world.event(), world.lambda(remainingMs));
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 15; i++) await world.call(invoke, 2500, 1000);
      await world.call(invoke, 20_000, 0);
    }
    expect(await world.record()).toMatchObject({ status: 'released', attempts: 3 });
    fails = false;
    await world.call(invoke, 20_000, 0);
    expect(await world.record()).toMatchObject({ status: 'completed', attempts: 4 });
  });

  it('leaves a doubt as it found it', async () => {
    const world = setUp();
    const handler = eachMessage<Payment>({ ...world.queue, timeoutMs: 1000, onAbandoned: 'retry' }, () => {
      throw new Error('the answer was lost');
    });
    const invoke: Invoke = (remainingMs) => handler(world.event(), world.lambda(remainingMs));
    await world.call(invoke, 20_000, 0);
    const before = await world.record();
    expect(before?.unknownAt).toBeDefined();
    await world.call(invoke, 2500, 1000);
    expect(await world.record()).toMatchObject({ status: 'released', attempts: 1, unknownAt: before?.unknownAt });
  });

  it('dead-letters its message at last, so that it does not come for ever', async () => {
    const world = setUp();
    const sent: string[] = [];
    const deadLetters = {
      send: async (_: unknown, __: unknown, reason: string, error: string) => sent.push(`${reason} ${error}`),
    };
    const handler = eachMessage<Payment>({ ...world.queue, timeoutMs: 1000, deadLetters }, () => undefined);
    const invoke: Invoke = (remainingMs) => handler(world.event(), world.lambda(remainingMs));
    for (let i = 0; i < 20; i++) expect(failuresOf(await world.call(invoke, 2500, 1000))).toEqual(['m-1']);
    expect(failuresOf(await world.call(invoke, 20_000, 0))).toEqual([]);
    expect(sent).toEqual([expect.stringContaining('parked')]);
  });
});
