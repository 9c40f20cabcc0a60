import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../../lib/pawl/host.ts';
import { type Destination, outboxOperator, outboxSweep, queues } from '../../../../lib/pawl/outbox/index.ts';
import { storages, type World } from './storages.ts';

/*
 * What users of other outboxes report: rows that are never deleted, a clean-up that slows the table down, deduplication ids that are lost when a message is
 * recovered, and repeats while something is throttled.
 */

const throttled = Object.assign(new Error('slow down'), {
  name: 'ThrottlingException',
  $metadata: { httpStatusCode: 400 },
});
const refusal = Object.assign(new Error('no'), { name: 'InvalidMessageContents', $metadata: { httpStatusCode: 400 } });

type Answer = 'taken' | 'taken, and throttled' | 'throttled' | 'refused';

/** A queue that answers each try as it is told to, and then takes what comes. What it is given to recognise copies by is kept. */
function answering({ shared }: World, answers: readonly Answer[]) {
  const left = [...answers];
  const given: string[] = [];
  const through = queues({ aws: shared.aws });
  const queue: Destination = {
    ...through,
    async send(message, signal) {
      given.push(message.uid);
      const answer = left.shift() ?? 'taken';
      if (answer.startsWith('taken')) await through.send(message, signal);
      if (answer === 'refused') throw refusal;
      if (answer !== 'taken') throw throttled;
    },
  };
  return { queue, given };
}

/** An outbox that sends there, and sweeps of which each is a minute after the one before: what one has taken it may hold for a while. */
function through({ open, message }: World, queue: Destination) {
  const destinations = [queue];
  const { outbox, commitOwn } = open({ destinations, atOnceMs: 10_000 });
  let minutes = 0;
  const later = () => open({ destinations, host: { ...nodeHost, now: () => Date.now() + 61_000 * minutes } }).outbox;
  return {
    outbox,
    async commit(given: Parameters<World['message']>[0]) {
      const { sendNow } = await commitOwn([message(given)]);
      await sendNow(10_000);
    },
    sweep(change: (outbox: ReturnType<typeof later>) => ReturnType<typeof later> = (same) => same) {
      minutes += 1;
      return outboxSweep({ outbox: change(later()), onReport: () => undefined })();
    },
  };
}

describe.each(storages)('an outbox in $database', ({ setUp }) => {
  it('has no row of a message that was sent, and nothing that would have to be cleaned up', async () => {
    const world = await setUp();
    const { receipts, changes, message, commitOwn, waiting, endCounters, open } = world;
    for (let n = 0; n < 20; n++) {
      const group = `g${n % 4}`;
      const { sendNow } = await commitOwn([
        message({ to: receipts.url, key: `r${n}`, body: n }),
        message({ to: changes.url, key: `c${n}`, body: n, group }),
      ]);
      await sendNow(10_000);
    }
    expect(await waiting()).toEqual([]);
    expect(await world.rows()).toBe(4);
    const report = await outboxSweep({ outbox: open().outbox, olderThanMs: 0, onReport: () => undefined })();
    expect(report).toMatchObject({ looked: 0, reachedEnd: true });
    await endCounters();
    expect(await world.rows()).toBe(0);
  });

  it('keeps what a queue recognises copies by, whoever sends: the worker, a sweep, and a sweep after an operator', async () => {
    const world = await setUp();
    const { changes, sent, waiting } = world;
    const { queue, given } = answering(world, ['throttled', 'throttled', 'refused', 'taken, and throttled', 'taken']);
    const { outbox, commit, sweep } = through(world, queue);
    await commit({ to: changes.url, key: 'a', body: 1, group: 'maria' });
    await sweep();
    expect(await sweep()).toMatchObject({ parked: 1 });
    const operator = outboxOperator({ outbox });
    for await (const { id } of operator.list({ parked: true })) await operator.retry(id);
    await sweep();
    expect(await sweep()).toMatchObject({ sent: 1, left: 0 });
    expect(given).toHaveLength(5);
    expect(new Set(given).size).toBe(1);
    expect(await sent('changes.fifo')).toEqual([1]);
    expect(await waiting()).toEqual([]);
  });

  it('has one effect where a queue has taken a message and says that it is throttled', async () => {
    const world = await setUp();
    const { receipts, sent, waiting, consume } = world;
    const { queue } = answering(world, ['taken, and throttled', 'taken, and throttled', 'taken']);
    const { commit, sweep } = through(world, queue);
    await commit({ to: receipts.url, key: 'a', body: 1 });
    await sweep();
    await sweep();
    expect(await sent('receipts')).toEqual([1, 1, 1]);
    expect(await waiting()).toEqual([]);
    expect(await consume(receipts)).toEqual([1]);
  });

  it('has one effect where the table is throttled when a message that was sent is to be removed', async () => {
    const world = await setUp();
    const { receipts, sent, waiting, consume } = world;
    const { queue } = answering(world, ['throttled']);
    const { commit, sweep } = through(world, queue);
    await commit({ to: receipts.url, key: 'a', body: 1 });
    await sweep((outbox) => ({ ...outbox, store: { ...outbox.store, remove: () => Promise.reject(throttled) } }));
    expect(await waiting()).toMatchObject([{ key: 'a', parked: undefined }]);
    expect(await sweep()).toMatchObject({ sent: 1 });
    expect(await sent('receipts')).toEqual([1, 1]);
    expect(await waiting()).toEqual([]);
    expect(await consume(receipts)).toEqual([1]);
  });
});
