import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ClaimRecord, type ClaimStore, type ClaimWrite, memoryStore } from '../../../lib/pawl/index.ts';
import { fieldsOf, fromItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import type { AppWrite, TransactionalStore } from '../../../lib/pawl/transactions/index.ts';
import type { World } from '../../../lib/testing/index.ts';
import { type Item, simulatedTable } from '../../../proof/simulation/dynamodb/table.ts';
import { memoryTransactions } from '../../support/memory-transactions.ts';

export const tableName = 'table';
export const operation = 'pay';
export const idOf = (payment: string): string => `${operation}#${payment}`;

/** One thing that the provider has done. */
interface Done {
  readonly effect: string;
  readonly payment: string;
  readonly key: string | undefined;
}

/** What is outside of every worker: the claims, the application's table, a provider, and what an operator has seen. */
export function createOutside({ now }: { readonly now: () => number }) {
  const broken: string[] = [];
  const renewals = { count: 0 };
  const claims = memoryStore();
  const watched: ClaimStore = {
    read: (id) => claims.read(id),
    async write(write) {
      const written = await claims.write(write);
      if (written.applied) watch(write.seen, write.next);
      return written;
    },
  };
  const table = simulatedTable<string>(tableName, (_, before, after) => {
    if (isClaim(after)) watch(before && fromItem(before), fromItem(after));
  });
  const memory = memoryTransactions(watched);
  const done: Done[] = [];

  /** Holds every write to the laws of a record: its revision and its fence grow, and what is completed stays so. */
  function watch(before: ClaimRecord | undefined, after: ClaimRecord): void {
    if (!(after.rev > (before?.rev ?? 0))) broken.push('a revision that does not grow');
    if (before && after.fence < before.fence) broken.push('a fence that goes back');
    if (before?.claimId === after.claimId && before.leaseUntil < after.leaseUntil) renewals.count++;
    if (before?.status === 'completed' && after.status !== 'completed') broken.push('a completion that goes back');
  }

  return {
    now,
    broken,
    /** How often a lease was extended. */
    renewals,
    done,
    /** Requests to the store that failed, and were let through. */
    letThrough: [] as unknown[],
    /** When the operator first saw that a payment is parked, and which it has decided. */
    seenParkedAt: new Map<string, number>(),
    decided: new Set<string>(),
    memory,
    table,
    /** Does what it is asked; once for each key, where it is given one. */
    act(effect: string, payment: string, key?: string): string {
      const known = key !== undefined && done.some((one) => one.effect === effect && one.key === key);
      if (!known) done.push({ effect, payment, key });
      return `${effect} of ${payment}`;
    },
    times: (effect: string, payment: string): number =>
      done.filter((one) => one.effect === effect && one.payment === payment).length,
    /** How often the application's write was committed. */
    written(id: string): number {
      return Number(memory.items.get(id)?.['amount'] ?? 0) + Number(table.items.get(id)?.['amount']?.N ?? 0);
    },
    /** The record of a payment, whichever store its consumer has. */
    recordOf(payment: string): ClaimRecord | undefined {
      const item = table.items.get(idOf(payment));
      const inMemory = claims.records().find(({ id }) => id === idOf(payment));
      return item ? fromItem(item) : inMemory;
    },
    /** What `pawl/locks` keeps in the table, by the beginning of its id. */
    kept: (prefix: string): readonly Record<string, unknown>[] =>
      [...table.items].filter(([id]) => id.startsWith(prefix)).map(([, item]) => ({ ...fieldsOf(item) })),
  };
}

export type Outside = ReturnType<typeof createOutside>;

const isClaim = (item: Item): boolean => item['id']?.S?.startsWith(`${operation}#`) ?? false;

/** Adds one to an item of the application's. */
export function add(id: string): AppWrite {
  return {
    Update: {
      TableName: tableName,
      Key: { id },
      UpdateExpression: 'ADD amount :n',
      ExpressionAttributeValues: { ':n': 1 },
    },
  };
}

const likeTheSdk = { resends: true, takesMs: 4 } as const;

/** Claims in memory, every request of which is a place where a worker may die, or an answer may be lost. */
export function claimsOf(world: World, { memory }: Outside): ClaimStore {
  const { store } = memory;
  return {
    read: (id) => world.io('store.read', () => store.read(id), likeTheSdk),
    write: (write) => world.io(`store.write ${write.next.status}`, () => store.write(write), likeTheSdk),
  };
}

/** The same, beside the application's items. */
export function committingClaimsOf(world: World, outside: Outside): TransactionalStore {
  const { store } = outside.memory;
  return {
    ...claimsOf(world, outside),
    commit: (write: ClaimWrite, writes) =>
      world.io(`table.commit ${write.next.status}`, () => store.commit(write, writes), likeTheSdk),
  };
}

/** A client of the table, whose every request is such a place. */
export function clientOf(world: World, { table }: Outside): DynamoDBClient {
  const client = new DynamoDBClient({ region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  // After the commands are marshalled, and before anything is sent.
  client.middlewareStack.add(
    (_, { commandName: name = '' }) =>
      async ({ input }) => {
        // What the kit takes for the library's own is tried less often at the traffic's other ways.
        const boundary = name === 'TransactWriteItemsCommand' ? `table.${name}` : `store.${name}`;
        const answer = await world.io(boundary, () => table.execute(name, input, 'a worker'), likeTheSdk);
        return { output: Object.assign({ $metadata: {} }, answer), response: undefined };
      },
    { step: 'build', name: 'simulated' },
  );
  return client;
}
