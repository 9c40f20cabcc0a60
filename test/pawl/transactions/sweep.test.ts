import { expect, it } from 'vitest';
import { RejectedError } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { memoryStore } from '../../../lib/pawl/stores/memory.ts';
import {
  type AppWrite,
  commit,
  eachTransaction,
  inPhases,
  type TransactionalStore,
} from '../../../lib/pawl/transactions/index.ts';
import { assertSurvivesCrashes, type World } from '../../../lib/testing/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { firstOf } from '../../support/whole.ts';
import { knowingProvider, type Order, orderIdOf, orders } from '../../testing/providers.ts';

const TableName = 'ledger';
const put = (id: string): AppWrite => ({ Put: { TableName, Item: { id } } });
const add = (id: string, n: number): AppWrite => ({
  Update: { TableName, Key: { id }, UpdateExpression: '', ExpressionAttributeValues: { ':n': n } },
});

/** A bank whose database and claims are one, and a provider beside it. */
function bank(time: { now: () => number }) {
  const { items, store } = memoryTransactions(memoryStore());
  return { items, store, cards: knowingProvider(time) };
}

type Bank = ReturnType<typeof bank>;

/** Every request of the store is a place where a worker may die, or an answer may be lost. */
function reached(world: World, { store }: Bank): TransactionalStore {
  return {
    read: (id) => world.io('claims.read', () => store.read(id), { resends: true }),
    write: (write) => world.io(`claims.write ${write.next.status}`, () => store.write(write), { resends: true }),
    commit: (write, writes) =>
      world.io(`claims.commit ${write.next.status}`, () => store.commit(write, writes), { resends: true }),
  };
}

const messages = [...orders, ...orders.slice(0, 1)];
const common = { messages, provider: bank, max: firstOf(400, { first: 60 }) };
const optionsOf = (world: World, bank: Bank) => ({
  ...world.options,
  operation: 'pay',
  key: bodyField('orderId'),
  store: reached(world, bank),
});

it('what is committed with its claim is there once, wherever the worker dies and whichever answer is lost', async () => {
  const { fates } = await assertSurvivesCrashes({
    ...common,
    effects: ({ items }, message) => Number(items.get(orderIdOf(message))?.['amount'] ?? 0),
    handler: (world, bank) =>
      eachMessage<Order>({ ...optionsOf(world, bank), onAbandoned: 'retry' }, ({ body }, claim) =>
        commit(claim, [add(body.orderId, 1)]),
      ),
  });
  expect(fates.acknowledged).toBeGreaterThan(0);
});

it('so is what is one transaction with it', async () => {
  const { fates } = await assertSurvivesCrashes({
    ...common,
    effects: ({ items }, message) => Number(items.get(orderIdOf(message))?.['amount'] ?? 0),
    handler: (world, bank) => eachTransaction<Order>(optionsOf(world, bank), ({ body }) => [add(body.orderId, 1)]),
  });
  expect(fates.acknowledged).toBeGreaterThan(0);
});

it('in three phases, each is done once: no half commit, no call repeated under another key', async () => {
  const { fates } = await assertSurvivesCrashes({
    ...common,
    effects({ items, cards }, message) {
      const id = orderIdOf(message);
      // Once in each phase, or the most of what was done too often.
      const counts = [
        Number(items.get(`reserved-${id}`)?.['amount'] ?? 0),
        cards.count(message),
        Number(items.get(id)?.['amount'] ?? 0),
      ];
      return counts.every((count) => count === 1) ? 1 : counts.some((count) => count > 1) ? 2 : 0;
    },
    handler: (world, bank) => {
      const cards = world.wrap('cards', bank.cards);
      return eachMessage<Order>(
        { ...optionsOf(world, bank), onAbandoned: 'retry' },
        inPhases({
          prepare: ({ body }) => [add(`reserved-${body.orderId}`, 1)],
          execute: ({ body }, { effectKey }) => cards.issue(body.orderId, effectKey),
          record: ({ body }) => [add(body.orderId, 1)],
          onAbandoned: 'retry',
        }),
      );
    },
  });
  expect(fates.acknowledged).toBeGreaterThan(0);
});

it('a condition of the application’s own is no lost claim: the message ends as its author says', async () => {
  const report = await assertSurvivesCrashes({
    ...common,
    messages: orders,
    effects: ({ items }, message) => (items.has(orderIdOf(message)) ? 1 : 0),
    // That nothing was paid is right here.
    expected: () => 'dead-letter',
    handler: (world, bank) =>
      eachTransaction<Order>(
        { ...optionsOf(world, bank), onRefused: () => new RejectedError('insufficient balance') },
        ({ body }) => [put(body.orderId), add('account', -100)],
      ),
  });
  expect(report.runs).toBeGreaterThan(20);
});
