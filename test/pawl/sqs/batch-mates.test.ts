import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type ClaimEvent, memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, type SqsEvent, type SqsOptions, type SqsRecord } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { type VirtualHost, virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string; amount: number };
type Door = 'eachMessage' | 'sqsOnce';

/** A consumer behind one of the doors that take batches, on a store that can be down, with a dead-letter queue. */
function setUp(door: Door, options: Partial<SqsOptions<Order>> & { host?: VirtualHost } = {}) {
  const memory = memoryStore();
  const host = options.host ?? virtualHost();
  const ran: number[] = [];
  const dead: string[] = [];
  const events: ClaimEvent[] = [];
  const failing = new Set<number>();
  let isDown = false;
  const reach = () => (isDown ? Promise.reject(new Error('the store is down')) : undefined);
  const given: SqsOptions<Order> & { host: VirtualHost } = {
    operation: 'issue-gift-card',
    store: {
      read: async (id) => (await reach()) ?? memory.read(id),
      write: async (write) => (await reach()) ?? memory.write(write),
    },
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    aws: noQueue,
    backoffSeconds: () => undefined,
    deadLetters: { send: async (_client, { body }, reason) => void dead.push(`${JSON.parse(body).amount}: ${reason}`) },
    onEvent: (event) => events.push(event),
    ...options,
    host,
  };
  const handle = (amount: number) => {
    ran.push(amount);
    if (failing.has(amount)) throw new Error('no');
  };
  const amountOf = ({ body }: { body: string }): number => JSON.parse(body).amount;
  const doors = {
    eachMessage: eachMessage<Order>(given, ({ body }) => handle(body.amount)),
    sqsOnce: middy(
      (event: SQSEvent) => Promise.allSettled(event.Records.map(async (record) => handle(amountOf(record)))),
      { timeoutEarlyInMillis: 0 },
    ).use(sqsOnce<Order>(given)) as unknown as (event: SqsEvent, lambda: unknown) => Promise<unknown>,
  };
  const call = (...records: SqsRecord[]) =>
    doors[door](sqsEvent(...records), context(30_000, host.now) as Context) as Promise<unknown>;
  return {
    host,
    ran,
    dead,
    events,
    failing,
    call,
    down: (is: boolean) => {
      isDown = is;
    },
    statuses: () => memory.records().map(({ status }) => status),
  };
}

const of = (amount: number, overrides: Parameters<typeof sqsRecord>[1] = {}) =>
  sqsRecord({ orderId: 'k', amount }, overrides);

describe.each<Door>(['eachMessage', 'sqsOnce'])('two intents under one key in a batch of %s', (door) => {
  it('are told apart by the record: the owner’s retry runs behind a stranger, and only the stranger is dead-lettered (consumer.ts 3)', async () => {
    const { call, ran, dead, failing } = setUp(door);
    failing.add(1);
    const owner = of(1);
    expect(failuresOf(await call(owner))).toEqual([owner.messageId]);
    failing.clear();
    expect(failuresOf(await call(of(999), of(1)))).toEqual([]);
    expect(dead).toEqual(['999: key-reused']);
    expect(ran).toEqual([1, 1]);
  });

  it('the duplicate of a completed owner is acknowledged behind a stranger', async () => {
    const { call, ran, dead } = setUp(door);
    await call(of(1));
    expect(failuresOf(await call(of(999), of(1), of(999), of(1)))).toEqual([]);
    expect(dead).toEqual(['999: key-reused', '999: key-reused']);
    expect(ran).toEqual([1]);
  });

  it('the first claims, and the second meets its record (batch-run.ts 4)', async () => {
    const { call, ran, dead, events } = setUp(door);
    expect(failuresOf(await call(of(1), of(2), of(1), of(2)))).toEqual([]);
    expect(ran).toEqual([1]);
    expect(dead).toEqual(['2: key-reused', '2: key-reused']);
    // The second copy of each intent has not asked the store.
    expect(events.filter(({ type }) => type === 'repeated')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'key-reused')).toHaveLength(1);
  });

  it('the first asks first, also where its request to the store takes longer', async () => {
    const host = virtualHost();
    const memory = memoryStore();
    let requests = 0;
    const write: typeof memory.write = async (one) => {
      if (++requests === 1) await new Promise<void>((resolve) => host.after(50, resolve));
      return memory.write(one);
    };
    const { call, ran, dead } = setUp(door, { host, store: { ...memory, write } });
    const response = call(of(1), of(2));
    await host.advance(1000);
    expect(failuresOf(await response)).toEqual([]);
    expect([ran, dead]).toEqual([[1], ['2: key-reused']]);
  });

  it('all stay on their queue while the store is down', async () => {
    const { call, ran, dead, down } = setUp(door);
    down(true);
    const all = [of(1), of(2), of(1)];
    expect(failuresOf(await call(...all))).toEqual(all.map(({ messageId }) => messageId).sort());
    expect([ran, dead]).toEqual([[], []]);
    down(false);
    expect(failuresOf(await call(...all))).toEqual([]);
    expect([ran, dead]).toEqual([[1], ['2: key-reused']]);
  });
});

it.each<Door>(['eachMessage', 'sqsOnce'])(
  '%s: a copy that may hold the claim itself is deferred, although another copy in its batch is discarded',
  async (door) => {
    const host = virtualHost();
    const store = memoryStore();
    const holder = eachMessage<Order>(
      {
        operation: 'issue-gift-card',
        store,
        key: bodyField('orderId'),
        onAbandoned: 'retry',
        onInFlight: 'discard',
        host,
      },
      () => new Promise(() => undefined),
    );
    const itself = of(1);
    void holder(sqsEvent(itself), context(30_000, host.now));
    await host.advance(5000);
    const { call } = setUp(door, { store, host, onInFlight: 'discard' });
    expect(failuresOf(await call(of(1), itself))).toEqual([itself.messageId]);
  },
);

describe.each<Door>(['eachMessage', 'sqsOnce'])('%s: under discard, where the first copy’s worker has died', (door) => {
  function dying() {
    const host = virtualHost();
    const store = memoryStore();
    const common = { store, host, onInFlight: 'discard' } as const;
    const options = {
      operation: 'issue-gift-card',
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      ...common,
    } as const;
    const never = eachMessage<Order>(options, () => new Promise(() => undefined));
    return {
      host,
      common,
      async claimedBy(message: SqsRecord, remainingMs: number) {
        void never(sqsEvent(message), context(remainingMs, host.now));
        await host.advance(1);
      },
      answerTo: async (...messages: SqsRecord[]) => failuresOf(await setUp(door, common).call(...messages)),
    };
  }

  it('it comes again, whoever has taken over from it: that one may be on its way out of the queue', async () => {
    const { host, claimedBy, answerTo } = dying();
    const [first, duplicate] = [of(1), of(1)] as const;
    await claimedBy(first, 5000);
    // SQS hands the duplicate to two workers. One discards it, and SQS has not deleted it yet; the other takes over.
    expect(await answerTo(duplicate)).toEqual([]);
    await host.advance(10_000);
    await claimedBy(duplicate, 30_000);
    expect(await answerTo(first)).toEqual([first.messageId]);
    expect(await answerTo(of(1), first)).toHaveLength(2);
  });

  it('every copy comes again that meets a faster worker at its turn to run alone', async () => {
    const { host, claimedBy, common } = dying();
    await claimedBy(of(1), 5000);
    await host.advance(10_000);
    const [suspect, holder] = [of(1), of(1)] as const;
    let isFirst = true;
    const store: typeof common.store = {
      ...common.store,
      async write(write) {
        // Another worker, to which SQS gave the same copy.
        if (write.seen !== undefined && isFirst) {
          isFirst = false;
          await claimedBy(holder, 30_000);
        }
        return common.store.write(write);
      },
    };
    const answer = await setUp(door, { ...common, store }).call(suspect, holder);
    expect(failuresOf(answer)).toEqual([suspect.messageId, holder.messageId].sort());
  });
});
