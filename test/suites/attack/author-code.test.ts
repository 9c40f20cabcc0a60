import { expect, test } from 'vitest';
import {
  type Claim,
  type ClaimStore,
  failOpen,
  memoryStore,
  once,
  rememberCompleted,
  type WriteResult,
} from '../../../lib/pawl/index.ts';
import { type AppWrite, commit, type TransactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';
import { unhandledRejections } from '../../support/rejections.ts';

const untyped = <T>(value: unknown) => value as T;
const input = { id: 'order-17' };
const options = (store: ClaimStore) => ({
  operation: 'pay',
  store,
  key: ({ id }: typeof input) => id,
  onAbandoned: 'park' as const,
  onEvent: () => {},
});
const down: ClaimStore = {
  read: async () => Promise.reject(new Error('down')),
  write: async () => Promise.reject(new Error('down')),
};

test('an async onFailure of failOpen that fails leaves no rejection unhandled', async () => {
  const store = failOpen(down, async () => {
    throw new Error('the alarm service is down as well');
  });
  expect(await unhandledRejections(async () => void (await once(options(store), () => 1).outcome(input)))).toEqual([]);
});

test('an onFailure of failOpen that throws does not keep anything from running while the table cannot be reached', async () => {
  const store = failOpen(down, () => {
    throw new Error('the alarm service is down as well');
  });
  expect(await once(options(store), () => 1).outcome(input, { remainingMs: () => 3_000 })).toMatchObject({
    outcome: 'completed',
  });
});

test('rememberCompleted keeps the commit of a transactional store that is a class', async () => {
  const { store, items } = memoryTransactions(memoryStore());
  class Transactions implements TransactionalStore {
    read(id: string) {
      return store.read(id);
    }
    write(write: Parameters<ClaimStore['write']>[0]) {
      return store.write(write);
    }
    commit(write: Parameters<ClaimStore['write']>[0], writes: readonly AppWrite[]) {
      return store.commit(write, writes);
    }
  }
  const pay = once(options(rememberCompleted(new Transactions())), (_: typeof input, claim) =>
    commit(claim, [{ Put: { TableName: 'ledger', Item: { id: '1' } } }]),
  ).outcome;
  expect(await pay(input)).toMatchObject({ outcome: 'completed' });
  expect(items.size).toBe(1);
});

test('a store that returns nothing for a write has not acknowledged a claim: nothing runs', async () => {
  let effects = 0;
  const store = memoryStore();
  const silent: ClaimStore = {
    read: store.read,
    async write(write) {
      const result = await store.write(write);
      return result.applied ? result : untyped<WriteResult>(undefined); // the author forgot to return what was found
    },
  };
  const pay = once(options(silent), async () => {
    effects += 1;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }).outcome;
  await Promise.allSettled([pay(input), pay(input)]);
  expect(effects).toBe(1);
});

test('a store that refuses every write and finds nothing is not asked without a pause', async () => {
  let writes = 0;
  const refusing: ClaimStore = {
    read: async () => undefined,
    async write() {
      writes += 1;
      if (writes >= 1_000) throw new Error('enough');
      await new Promise((resolve) => setImmediate(resolve));
      return { applied: false, found: undefined };
    },
  };
  const deadline = Date.now() + 1_500;
  await once(options(refusing), () => 1)
    .outcome(input, { remainingMs: () => deadline - Date.now() })
    .catch(() => {});
  expect(writes).toBeLessThan(100);
});

test('claim.effect returns a promise that rejects, also when its handler has ended', async () => {
  let late: Claim | undefined;
  await once(options(memoryStore()), (_: typeof input, claim) => {
    late = claim;
  }).outcome(input);
  // In a timer of the author's, an exception that is thrown at once ends the process, whatever `.catch` follows it.
  expect(() => late?.effect(() => 1).catch(() => {})).not.toThrow();
});
