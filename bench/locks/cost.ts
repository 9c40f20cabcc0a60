import { randomUUID } from 'node:crypto';
import {
  dynamoLockStore,
  forEachItem,
  type Lock,
  resourceLocks,
  type TransactAction,
} from '../../lib/pawl/locks/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { benchClient } from '../cost/client.ts';
import type { Setting } from '../cost/setting.ts';
import type { Table } from '../cost/table.ts';
import { countUnits, type Units } from './units.ts';

const resources = [1, 2, 10, 50, 99, 100, 250, 1000];
const itemCount = [25, 100, 1000, 10_000];

/** What locks and work under them cost in requests and units. */
export async function costTables({ endpoint, progress, createTable }: Setting): Promise<readonly Table[]> {
  const client = benchClient(endpoint);
  const tableName = await createTable(`cost-${randomUUID()}`);
  const counted = countUnits(client);
  const store = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
  const locks = resourceLocks({ store });

  async function cost(what: () => Promise<unknown>): Promise<Units> {
    counted();
    await what();
    return counted();
  }

  async function lockOf(resources: readonly string[], holder: string): Promise<Lock> {
    return locks.lockAll(resources, { holder });
  }

  const lockRows: string[][] = [];
  for (const size of resources) {
    progress.update(`counting what a lock of ${size} resources costs`);
    const resources = Array.from({ length: size }, (_, n) => `${size}-${n}`);
    let lock: Lock | undefined;
    const first = await cost(async () => {
      lock = await lockOf(resources, 'one');
    });
    const renewal = await cost(async () => lock?.renew());
    const reentry = await cost(async () => {
      lock = await lockOf(resources, 'one');
    });
    const refused = await cost(async () => locks.tryLockAll(resources.slice(0, 1), { holder: 'two' }));
    const unlock = await cost(async () => lock?.unlock());
    const again = await cost(async () => {
      lock = await lockOf(resources, 'two');
    });
    await lock?.unlock();
    lockRows.push([size.toLocaleString('en-US'), ...[first, again, reentry, renewal, unlock, refused].map(asText)]);
  }

  const itemRows: string[][] = [];
  for (const items of itemCount) {
    progress.update(`counting what ${items} items cost`);
    const all = Array.from({ length: items }, (_, n) => n);
    const work = `${items}`;
    let lock = await lockOf([work], work);
    const write = (n: number): TransactAction => ({
      Put: { TableName: tableName, Item: { id: `item ${work} ${n}`, done: true } },
    });
    const run = (id: string, check?: (chunk: readonly number[]) => readonly TransactAction[]) =>
      cost(() =>
        forEachItem(
          all,
          {
            id,
            work: 'write',
            fence: store.stillHeld(lock),
            store,
            concurrency: 1,
            ...(check && { check }),
          },
          (chunk) => chunk.map(write),
        ),
      );
    const plain = await run(work);
    const guarded = await run(`${work} guarded`, () => [store.stillHeld(lock)]);
    // By the next attempt: one does not do a work twice.
    lock = await lockOf([work], work);
    const again = await run(work);
    await lock.unlock();
    const perItem = (plain.writeUnits / items).toFixed(2);
    itemRows.push([items.toLocaleString('en-US'), asText(plain), perItem, asText(guarded), asText(again)]);
  }
  client.destroy();
  return [
    {
      title: 'Locks: requests / write units / read units',
      head: ['resources', 'first lock', 'locked before', 'same holder again', 'renew', 'unlock', 'refused'],
      rows: lockRows,
    },
    {
      title: 'Work in chunks of 25, one write of the application for each item: requests / write units / read units',
      head: ['items', 'all', 'write units an item', 'with `check`: `stillHeld`', 'again, when all are done'],
      rows: itemRows,
    },
  ];
}

function asText({ requests, writeUnits, readUnits }: Units): string {
  return [requests, writeUnits, readUnits].map((count) => count.toLocaleString('en-US')).join(' / ');
}
