import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { bodyField } from '../../../../lib/pawl/sqs/index.ts';
import { commit, eachTransaction } from '../../../../lib/pawl/transactions/index.ts';
import { context, failuresOf, sqsEvent } from '../../../support/lambda.ts';
import { type Order, order } from '../../scenarios/support.ts';
import { setUpOutbox } from './support.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** An outbox, and a way to commit a message of a group with the application's data. */
async function setUpGroups(options: Parameters<typeof setUpOutbox>[0] = {}) {
  const world = await setUpOutbox(options);
  const { changes, message, outbox, client, consumer, put, store } = world;
  const change = (n: number, group = 'maria') => ({ to: changes.url, key: `${group}/${n}`, body: { group, n }, group });
  return {
    ...world,
    change,
    /** A commit of a transaction of the author's own. */
    async commitOwn(n: number, group?: string) {
      const prepared = await outbox.prepare([message(change(n, group))]);
      await DynamoDBDocumentClient.from(client).send(new TransactWriteCommand({ TransactItems: [...prepared.writes] }));
      return prepared;
    },
    book: consumer(
      ({ body: { orderId } }, claim) => commit(claim, [put(orderId), message(change(Number(orderId.slice(1))))]),
      { store },
    ),
  };
}

describe('the messages of a group', () => {
  it('are numbered without a gap, and sent at once while each is alone', async () => {
    const { book, sent, waiting, typesOf } = await setUpGroups();
    for (const n of numbers(3)) await book(order(`a${n}`));
    expect(await sent('changes.fifo')).toEqual(numbers(3).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
    expect(typesOf()).not.toContain('message-left');
  });

  it('several in one commit take one counter, and go in their order', async () => {
    const { consumer, store, message, change, sent, waiting, requests } = await setUpGroups();
    const all = consumer(
      (_, claim) =>
        commit(
          claim,
          numbers(3).map((n) => message(change(n))),
        ),
      { store },
    );
    await all(order('a'));
    expect(await sent('changes.fifo')).toEqual(numbers(3).map((n) => ({ group: 'maria', n })));
    expect(await waiting()).toEqual([]);
    expect(requests.filter((name) => name === 'QueryCommand')).toHaveLength(1);
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
    const { store, message, change, put, sent, waiting, relayAll, events } = await setUpGroups();
    const handler = eachTransaction<Order>(
      { operation: 'book', store, key: bodyField('orderId'), onEvent: (event) => void events.push(event) },
      ({ body: { orderId } }) => [put(orderId), message(change(Number(orderId.slice(1))))],
    );
    const batch = numbers(12).map((n) => order(`a${n}`));
    expect(failuresOf(await handler(sqsEvent(...batch), context(120_000)))).toEqual([]);
    await relayAll();
    const all = await sent('changes.fifo');
    expect(all.map(({ n }) => n).sort((a, b) => a - b)).toEqual(numbers(12));
    expect(await waiting()).toEqual([]);
  });

  it('go on behind what still lies in the lane where their counter has ended', async () => {
    const { commitOwn, client, outboxTable, sent, waiting, relayAll } = await setUpGroups();
    for (const n of numbers(3)) await commitOwn(n);
    const [{ id } = { id: '' }] = await waiting();
    await client.send(new DeleteItemCommand({ TableName: outboxTable, Key: { id: { S: id }, n: { N: '0' } } }));
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
    const { commitOwn, client, outboxTable, waiting, relayAll } = await setUpGroups();
    const sleeper = await commitOwn(1);
    const [{ id } = { id: '' }] = await waiting();
    await relayAll();
    await client.send(new DeleteItemCommand({ TableName: outboxTable, Key: { id: { S: id }, n: { N: '0' } } }));
    await commitOwn(2);
    expect(await waiting()).toMatchObject([{ n: 1, key: 'maria/2' }]);
    await sleeper.sendNow(10_000);
    expect(await waiting()).toMatchObject([{ n: 1, key: 'maria/2' }]);
  });
});
