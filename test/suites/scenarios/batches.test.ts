import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { StoreUnavailableError } from '../../../lib/pawl/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { sqsRecord } from '../../support/lambda.ts';
import { firstOf } from '../../support/whole.ts';
import { gate, order, queueServer, setUp } from './support.ts';

describe('9 · an author’s error with the name of a library error stays the author’s error', () => {
  it.each([
    'RetryableError',
    'RejectedError',
    'LeaseError',
    'StoreUnavailableError',
    'InvalidMessageError',
    'TimeoutError',
    'ConditionalCheckFailedException',
  ])('%s: it runs once, says nothing about the effect, and parks', async (name) => {
    const { consumer, existing, read } = await setUp();
    const ledger: string[] = [];
    const charge = (orderId: string): never => {
      ledger.push(orderId);
      throw Object.assign(new Error('of the author'), { name });
    };
    const options = { onAbandoned: 'park' } as const;
    await consumer(({ body }) => charge(body.orderId), options)(order('a'));
    await existing((event: SQSEvent) => charge(JSON.parse(event.Records[0]?.body ?? '').orderId), options)(order('b'));
    expect(ledger).toEqual(['a', 'b']);
    const parked = {
      status: 'parked',
      attempts: 1,
      error: { name: 'outcome-unknown', message: `${name}: of the author` },
    };
    expect(await read('a')).toMatchObject(parked);
    expect(await read('b')).toMatchObject(parked);
  });

  it('a library error from a call inside the handler runs neither handler again', async () => {
    const { worker, read, refusing } = await setUp();
    const ledger: string[] = [];
    const inner = worker(() => ledger.push('inner'), { store: refusing(() => true) });
    const outer = worker(
      async () => {
        ledger.push('outer');
        await inner('inner');
      },
      { onAbandoned: 'park' },
    );
    await expect(outer('outer')).rejects.toThrow(StoreUnavailableError);
    expect(ledger).toEqual(['outer']);
    // It says that nothing was run, so the message may come again.
    expect(await read('outer')).toMatchObject({ status: 'released', attempts: 1 });
    expect(await read('inner')).toBeUndefined();
  });
});

describe('16 · a duplicate in flight waits for its turn, and no other message waits', () => {
  it.each(['eachMessage', 'sqsOnce'])(
    'with %s, a batch of nothing else is put off until the lease can have ended',
    async (adapter) => {
      const { consumer, existing, worker, read, events } = await setUp();
      // Two receives, and the next one would be the dead-letter queue's.
      const queues = await queueServer(2);
      const ledger: string[] = [];
      const running = gate();
      const first = worker(() => {
        ledger.push('first');
        return running.work();
      })('a', { remainingMs: () => 300_000 });
      await running.begun;

      const options = { aws: sdk({ sqs: queues.functionClient }), fingerprint: false } as const;
      const again = () => void ledger.push('again');
      const charge = adapter === 'eachMessage' ? consumer(again, options) : existing(again, options);
      await queues.send({ orderId: 'a', copy: 1 });
      await queues.send({ orderId: 'a', copy: 2 });
      const { Records } = await queues.receive(queues.orders);
      expect(await charge(...Records)).toEqual(Records.map(({ messageId }) => messageId).sort());

      const waits = events.flatMap((event) => (event.type === 'deferred' ? [event.seconds] : []));
      expect(waits).toHaveLength(2);
      expect(Math.min(...waits)).toBeGreaterThan(290);
      expect(await queues.depth(queues.orders)).toMatchObject({ ready: 0, inFlight: 2 });
      expect(await queues.depth(queues.deadLetters)).toMatchObject({ ready: 0 });
      running.end();
      await first;
      expect(await charge(...Records)).toEqual([]);
      expect(ledger).toEqual(['first']);
      expect(await read('a')).toMatchObject({ status: 'completed', fence: 1 });
    },
  );

  it.each(['eachMessage', 'sqsOnce'])('with %s, it stops its own message group and no other', async (adapter) => {
    const { consumer, existing, worker, count } = await setUp();
    const sqsClient = (await queueServer()).functionClient;
    const ledger: string[] = [];
    const running = gate();
    const first = worker(running.work)('a1', { remainingMs: () => 30_000 });
    await running.begun;

    const charge =
      adapter === 'eachMessage'
        ? consumer(({ body }) => ledger.push(body.orderId), { aws: sdk({ sqs: sqsClient }) })
        : existing(
            (event: SQSEvent) => void ledger.push(...event.Records.map(({ body }) => JSON.parse(body).orderId)),
            {
              aws: sdk({ sqs: sqsClient }),
            },
          );
    const inGroup = (group: string, orderId: string) => sqsRecord({ orderId }, { group });
    const [a1, a2] = [inGroup('a', 'a1'), inGroup('a', 'a2')];
    expect(await charge(a1, inGroup('b', 'b1'), a2, inGroup('b', 'b2'))).toEqual([a1.messageId, a2.messageId].sort());
    expect(ledger).toEqual(['b1', 'b2']);
    expect(await count()).toBe(3);
    running.end();
    await first;
  });
});

describe('17 · a batch of any size runs a few messages at a time, and stops before the invocation ends', () => {
  const size = firstOf(1000, { first: 200 });
  it(`of ${size} messages 25 run at once by default, and each runs once`, async () => {
    const { consumer, count } = await setUp();
    const ledger: string[] = [];
    const atOnce = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const charge = consumer(
      async ({ body }) => {
        most = Math.max(most, ++running);
        ledger.push(body.orderId);
        if (running === 25) atOnce.resolve();
        await atOnce.promise;
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        // A slow machine takes longer than an ordinary invocation.
      },
      { remainingMs: 600_000 },
    );
    const batch = Array.from({ length: size }, (_, n) => order(`order-${n}`));
    expect(await charge(...batch)).toEqual([]);
    expect(most).toBe(25);
    expect(new Set(ledger).size).toBe(size);
    expect(ledger).toHaveLength(size);
    expect(await count()).toBe(size);
  });

  it('a message that was not started near the end is not claimed either, and runs at its next delivery', async () => {
    const { consumer, count } = await setUp();
    const ledger: string[] = [];
    let spentMs = 0;
    const host = { ...nodeHost, now: () => Date.now() + spentMs };
    const charge = consumer(
      ({ body }) => {
        ledger.push(body.orderId);
        if (ledger.length === 3) spentMs = 29_500;
      },
      { host, concurrency: 1 },
    );
    const batch = Array.from({ length: 8 }, (_, n) => order(`order-${n}`));
    const rest = batch.slice(3);
    expect(await charge(...batch)).toEqual(rest.map(({ messageId }) => messageId).sort());
    expect(ledger).toHaveLength(3);
    expect(await count()).toBe(3);
    expect(await charge(...rest)).toEqual([]);
    expect(ledger).toEqual(batch.map(({ body }) => JSON.parse(body).orderId));
  });
});
