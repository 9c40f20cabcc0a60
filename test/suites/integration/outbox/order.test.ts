import { describe, expect, it } from 'vitest';
import { context, failuresOf, sqsEvent } from '../../../support/lambda.ts';
import { order } from '../../scenarios/support.ts';
import { storages } from './storages.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe.each(storages)('the messages of a group in $database', ({ setUp }) => {
  /** An outbox, and a way to commit a message of a group with the application's data. */
  async function setUpGroups(options: Parameters<typeof setUp>[0] = {}) {
    const world = await setUp(options);
    const { changes, message, consumer, store, commit, commitOwn } = world;
    const change = (n: number, group = 'maria') => ({
      to: changes.url,
      key: `${group}/${n}`,
      body: { group, n },
      group,
    });
    return {
      ...world,
      change,
      /** A commit of a transaction of the author's own. */
      commitOwn: (n: number, group?: string) => commitOwn([message(change(n, group))]),
      commitMany: (all: readonly number[]) => commitOwn(all.map((n) => message(change(n)))),
      book: consumer(
        ({ body: { orderId } }, claim) =>
          commit(claim, { entries: [orderId], messages: [message(change(Number(orderId.slice(1))))] }),
        { store },
      ),
    };
  }

  it('are numbered without a gap, and sent at once while each is alone', async () => {
    const { book, sent, waiting, typesOf } = await setUpGroups();
    for (const n of numbers(3)) await book(order(`a${n}`));
    expect(await sent('changes.fifo')).toEqual(numbers(3).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
    expect(typesOf()).not.toContain('message-left');
  });

  it('several in one commit take one counter, and go in their order', async () => {
    const { consumer, store, commit, message, change, sent, waiting } = await setUpGroups();
    const all = consumer((_, claim) => commit(claim, { messages: numbers(3).map((n) => message(change(n))) }), {
      store,
    });
    await all(order('a'));
    expect(await sent('changes.fifo')).toEqual(numbers(3).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
  });

  it('are read by the page, in their order: what waits behind a parked message is not read whole for each new one', async () => {
    const { commitMany, outbox, waiting, relayAll, sent } = await setUpGroups();
    await commitMany(numbers(60));
    const [{ id } = { id: '' }] = await waiting();
    const page = await outbox.store.lane(id, 0);
    expect(page.map(({ n }) => n)).toEqual(numbers(50));
    await relayAll();
    expect(await sent('changes.fifo')).toEqual(numbers(60).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
  });

  it('wait for the relay while an earlier one is not known to be sent; no other group does', async () => {
    const { commitOwn, book, sent, waiting, relayAll, typesOf } = await setUpGroups();
    await commitOwn(1);
    await book(order('a2'));
    expect(typesOf()).toContain('message-left');
    const other = await commitOwn(1, 'paul');
    await other.sendNow(10_000);
    expect(await sent('changes.fifo')).toEqual([{ group: 'paul', n: 1 }]);
    expect(await waiting()).toMatchObject([{ n: 1 }, { n: 2 }]);
    await relayAll();
    expect((await sent('changes.fifo')).filter(({ group }) => group === 'maria')).toEqual(
      numbers(2).map((n) => ({ group: 'maria', n })),
    );
    expect(await waiting()).toEqual([]);
  });

  it('are sent at once after all where the earlier one has left meanwhile', async () => {
    const { commitOwn, sent, waiting } = await setUpGroups();
    const first = await commitOwn(1);
    const second = await commitOwn(2);
    await first.sendNow(10_000);
    await second.sendNow(10_000);
    expect(await sent('changes.fifo')).toEqual(numbers(2).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
  });

  it('go in order from a sender that slept: its late copy is dropped by the queue, and removes nothing of another', async () => {
    const { commitOwn, sent, waiting, relayAll } = await setUpGroups();
    const sleeper = await commitOwn(1);
    await commitOwn(2);
    await relayAll();
    await sleeper.sendNow(10_000);
    expect(await sent('changes.fifo')).toEqual(numbers(2).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
  });

  it('are committed, all of them and in one order, by workers that meet', async () => {
    const { transactions, message, change, sent, waiting, relayAll } = await setUpGroups();
    const handler = transactions(({ orderId }) => ({
      entries: [orderId],
      messages: [message(change(Number(orderId.slice(1))))],
    }));
    const batch = numbers(12).map((n) => order(`a${n}`));
    expect(failuresOf(await handler(sqsEvent(...batch), context(120_000)))).toEqual([]);
    await relayAll();
    const all = await sent('changes.fifo');
    expect(all.map(({ n }) => n).sort((a, b) => a - b)).toEqual(numbers(12));
    expect(await waiting()).toEqual([]);
  });

  it('go on behind what still lies in the lane where their counter has ended', async () => {
    const { commitOwn, endCounters, sent, waiting, relayAll } = await setUpGroups();
    for (const n of numbers(3)) await commitOwn(n);
    await endCounters();
    await commitOwn(4);
    await commitOwn(5);
    expect((await waiting()).map(({ n }) => n)).toEqual(numbers(5));
    await relayAll();
    expect((await sent('changes.fifo')).map(({ n }) => n)).toEqual(numbers(5));
    const again = await commitOwn(6);
    await again.sendNow(10_000);
    expect(await waiting()).toEqual([]);
  });

  it('that lie where a counter has begun anew are not removed by a sender of the old number', async () => {
    const { commitOwn, endCounters, waiting, relayAll } = await setUpGroups();
    const sleeper = await commitOwn(1);
    await relayAll();
    await endCounters();
    await commitOwn(2);
    expect(await waiting()).toMatchObject([{ n: 1, key: 'maria/2' }]);
    await sleeper.sendNow(10_000);
    expect(await waiting()).toMatchObject([{ n: 1, key: 'maria/2' }]);
  });
});
