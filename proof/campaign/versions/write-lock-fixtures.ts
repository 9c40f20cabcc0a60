import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeValue, DeleteTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Lock } from '../../../lib/locks/index.ts';
import { startDynamoDbLocal } from '../../../lib/rehearsal/dynamodb-local.ts';
import { PROJECT } from '../../../shop/app/project.ts';
import { claimsTable } from '../../../test/support/tables.ts';
import { virtualHost } from '../../../test/support/virtual-host.ts';
import { libraryOf } from './library-of.ts';

/*
 * node proof/campaign/versions/write-lock-fixtures.ts: lets the libraries of two commits write locks and the progress of large works, and
 * keeps the items, as DynamoDB has them, in test/fixtures/locks-v1. `late` is what a worker of that version sends next: the script keeps
 * that request instead of sending it. Run once; the items are in the repository.
 */

/** What both versions have of this, as far as it is used here. */
interface Library {
  dynamoLockStore(options: object): object;
  resourceLocks(options: object): Record<string, (resources: unknown, options: object) => Promise<{ lock: Lock }>>;
  forEachItem(items: readonly number[], options: object, writesFor: () => readonly never[]): Promise<unknown>;
}

interface Version {
  readonly pawl: Library;
  /** How a caller asks for a lock. */
  readonly ask: string;
  /** How a work is named. */
  readonly name: object;
}

interface Client {
  send(command: { readonly input: object }): Promise<unknown>;
}

const TABLE = 'TABLE';
const holder = 'repay#request-17';
const debts = [
  ['customer', 7],
  ['customer', 7, 'debt', '1#2'],
];
const numbers = (length: number) => Array.from({ length }, (_, n) => n);
const parts = ['pawl/locks'];
const unnamed: Version = { pawl: await libraryOf<Library>('41b56fa', parts), ask: 'lockAll', name: {} };
const named: Version = { pawl: await libraryOf<Library>('05d80a2', parts), ask: 'tryLockAll', name: { work: 'repay' } };

await using server = await startDynamoDbLocal();
const client = new DynamoDBClient({
  endpoint: server.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const folder = join(PROJECT, 'test/fixtures/locks-v1');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** A table, and a worker on it that may stand still before it sends a write. */
function createWorker() {
  const host = virtualHost();
  let standsStill = false;
  let late: object | undefined;
  let keep: () => void = () => undefined;
  const kept = new Promise<void>((resolve) => {
    keep = resolve;
  });

  function keeping(inner: Client): Client {
    const send = (command: { readonly input: object }) => {
      if (!standsStill || !/^(PutItem|TransactWrite)/.test(command.constructor.name)) return inner.send(command);
      late = command.input;
      keep();
      return new Promise(() => undefined);
    };
    return new Proxy(inner, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
  }

  return {
    host,
    late: () => late,
    async lock({ pawl, ask }: Version, resources: unknown): Promise<Lock> {
      const store = pawl.dynamoLockStore({ tableName: TABLE, client: keeping(client as Client) });
      const asked = pawl.resourceLocks({ store, host })[ask]?.(resources, { holder, reason: 'repayment 17' });
      if (asked === undefined) throw new Error(`that version has no ${ask}`);
      return (await asked).lock;
    },
    /** Keeps what is sent next. */
    async standsStillIn(send: () => Promise<unknown>): Promise<void> {
      standsStill = true;
      await Promise.race([send(), kept]);
    },
    /** A work in chunks of 10, so many of which are committed. */
    async work({ pawl, name }: Version, items: readonly number[], chunks: number): Promise<void> {
      let begun = 0;
      const Key = { id: 'nothing' };
      const fence = { ConditionCheck: { TableName: TABLE, Key, ConditionExpression: 'attribute_not_exists(id)' } };
      const documents = keeping(DynamoDBDocumentClient.from(client) as Client);
      const options = { ...name, id: holder, fence, tableName: TABLE, documents, chunk: 10, concurrency: 1, host };
      const working = pawl.forEachItem(items, options, () => {
        standsStill = begun++ === chunks;
        return [];
      });
      await Promise.race([working, kept]);
    },
  };
}

async function scenario(
  name: string,
  act: (worker: ReturnType<typeof createWorker>) => Promise<unknown>,
): Promise<void> {
  await claimsTable(client, TABLE);
  const worker = createWorker();
  await act(worker);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: TABLE, ConsistentRead: true }));
  const items = Items.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ items, late: worker.late() }, undefined, 2)}\n`);
  console.log(`${name}: ${items.map(idOf).join(', ')}${worker.late() ? ', and what it sends next' : ''}`);
  await client.send(new DeleteTableCommand({ TableName: TABLE }));
}

function idOf({ id }: Record<string, AttributeValue>): string {
  return id?.S ?? '';
}

await scenario('held', async (worker) => {
  const lock = await worker.lock(unnamed, debts);
  await worker.host.advance(20_000);
  await worker.standsStillIn(() => lock.renew());
});
await scenario('kept', async (worker) => (await worker.lock(unnamed, debts)).keep());
await scenario('ended', async (worker) => (await worker.lock(unnamed, debts)).unlock());
await scenario('handed-over', async (worker) => {
  await worker.lock(unnamed, debts);
  await worker.lock(unnamed, debts);
});
await scenario('hashed', (worker) => worker.lock(unnamed, ['x'.repeat(3000), 'sha256:named']));
await scenario('about-to-lock', (worker) => worker.standsStillIn(() => worker.lock(unnamed, debts)));
await scenario('about-to-begin-a-work', (worker) => worker.standsStillIn(() => worker.work(unnamed, numbers(60), 4)));
await scenario('work-begun', (worker) => worker.work(unnamed, numbers(60), 4));
await scenario('work-done', (worker) => worker.work(unnamed, numbers(60), 99));
await scenario('named-work-begun', (worker) => worker.work(named, numbers(60), 4));
await scenario('named-work-done', (worker) => worker.work(named, numbers(60), 99));
await scenario('work-begun-and-named-later', async (worker) => {
  const first = createWorker();
  await first.work(unnamed, numbers(60), 2);
  await worker.work(named, numbers(60), 2);
});

client.destroy();
await server.stop();
process.exit(0);
