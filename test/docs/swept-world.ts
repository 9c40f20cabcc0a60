import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { httpOnce, onceOverHttp } from '../../lib/pawl/http/index.ts';
import { type ClaimWrite, memoryStore, once } from '../../lib/pawl/index.ts';
import { dynamoLockStore, forEachItem, resourceLocks } from '../../lib/pawl/locks/index.ts';
import { sqsOnce } from '../../lib/pawl/middy/index.ts';
import { deadLetterQueue, eachMessage, sendOnce } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { type AppWrite, eachTransaction, type TransactionalStore } from '../../lib/pawl/transactions/index.ts';
import type { World } from '../../lib/testing/index.ts';
import { simulatedTable } from '../../proof/simulation/dynamodb/table.ts';
import type { Names } from './run-example.ts';

export const tableName = 'table';

/** Claims and the items of an application in one table: a `Put` goes in with the claim, or neither. */
function transactionalMemory() {
  const claims = memoryStore();
  const put: Record<string, unknown>[] = [];
  const store: TransactionalStore = {
    read: (id) => claims.read(id),
    write: (one) => claims.write(one),
    async commit(write: ClaimWrite, writes: readonly AppWrite[]) {
      const written = await claims.write(write);
      if (written.applied) for (const { Put } of writes) put.push({ ...Put?.Item });
      return written;
    },
  };
  return { put, store };
}

/** What is outside of every worker: a table, and a provider that is called with or without a key. */
export function createOutside({ now }: { readonly now: () => number }) {
  const done: { readonly id: string; readonly key: string | undefined; readonly at: number }[] = [];
  return {
    table: simulatedTable<string>(tableName, () => undefined),
    transactions: transactionalMemory(),
    done,
    now,
    /** Does what it is asked, and once for each key. */
    act(id: string, key?: string): { readonly id: string } {
      if (key === undefined || !done.some((one) => one.key === key)) done.push({ id, key, at: now() });
      return { id: `done ${id}` };
    },
    /** Does what it is asked as often as it is asked, and remembers under which key. */
    repeat(id: string, key: string): { readonly id: string } {
      done.push({ id, key, at: now() });
      return { id: `done ${id}` };
    },
    times: (id: string): number => done.filter((one) => one.id === id).length,
  };
}

export type Outside = ReturnType<typeof createOutside>;

/** A client of the table, every call of which is an await boundary. `fails` may throw before one is made. */
export function tableClient(
  world: World,
  { table }: Outside,
  before: (command: string, input: object) => Promise<void> | void = () => undefined,
): DynamoDBClient {
  const client = {
    async send(command: { readonly input: object }) {
      const { name } = command.constructor;
      await before(name, command.input);
      return world.io(`dynamodb.${name.replace('Command', '')}`, () => table.execute(name, command.input, 'a worker'));
    },
  };
  return client as unknown as DynamoDBClient;
}

/**
 * What an example imports, wired to a swept world: in place of the real client, clock and queue. All else is the example's.
 */
export function wired(world: World, outside: Outside, client = tableClient(world, outside)): Names {
  const { store, host, onEvent } = world.options;
  const wiring = { host, onEvent, aws: store.aws };
  const table = dynamoStore({ tableName, aws: sdk({ dynamodb: client }), host });
  /** A queue that is told apart by the key of what is sent: a consumer runs once for each. */
  const producer = {
    ...store.aws,
    sqs: {
      call: (_: string, input: Partial<SendMessageCommandInput>) =>
        world.io('refunds.send', () => {
          const key = input.MessageAttributes?.['idempotency-key']?.StringValue ?? 'none';
          outside.act('sent', key);
          return { MessageId: `message ${key}` };
        }),
    },
  };
  const transactional = world.wrap('table', outside.transactions.store);
  return {
    store,
    tableName,
    dynamoStore: () => store,
    transactionalStore: () => transactional,
    deadLetterQueue: () => deadLetterQueue(world.deadLetterQueueUrl),
    eachMessage: (options: object, handle: never) => eachMessage({ ...options, ...wiring } as never, handle),
    eachTransaction: (options: object, writes: never) => eachTransaction({ ...options, ...wiring } as never, writes),
    sqsOnce: (options: object) => sqsOnce({ ...options, ...wiring } as never),
    once: (options: object, run: never) => once({ ...options, host, onEvent } as never, run),
    dynamoLockStore: () => dynamoLockStore(table),
    resourceLocks: (options: object) => resourceLocks({ ...options, host } as never),
    forEachItem: (items: never, options: object, writes: never) =>
      forEachItem(items, { ...options, store: table, host } as never, writes),
    onceOverHttp: (options: object, handle: never) => onceOverHttp({ ...options, host, onEvent } as never, handle),
    httpOnce: (options: object) => httpOnce({ ...options, host, onEvent } as never),
    sendOnce: (options: object) => sendOnce({ ...options, host, onEvent, aws: producer } as never),
    process: { env: { REFUNDS_QUEUE_URL: 'https://sqs/refunds', LEDGER_TABLE: tableName } },
    console: { log: () => undefined, warn: () => undefined, error: () => undefined },
  };
}
