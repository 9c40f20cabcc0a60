import { readdirSync, readFileSync } from 'node:fs';
import {
  type AttributeValue,
  type DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../lib/host.ts';
import type { Host } from '../../lib/kernel/host.ts';
import {
  dynamoLockStore,
  type ForEachItemOptions,
  forEachItem,
  type Resource,
  readProgress,
  resourceLocks,
  type TransactAction,
  WorkChangedError,
  WorkUnfinishedError,
} from '../../lib/locks/index.ts';
import { claimsTable, localClient } from '../support/tables.ts';
import { someDay } from '../support/virtual-host.ts';

/**
 * Locks and progress as earlier versions left them in their tables (`proof/campaign/versions/write-lock-fixtures.ts`). This version reads them,
 * takes them over and goes on with them, and what a worker of such a version sends late is refused. That is why their schemas, ids and
 * conditions are what they are: for the minutes of a deployment, both versions work on one table.
 */

type Item = Record<string, AttributeValue>;

const FOLDER = new URL('../fixtures/locks-v1/', import.meta.url);
const fixture = (name: string): { readonly items: readonly Item[]; readonly late?: object } =>
  JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));

const HOLDER = 'repay#request-17';
const debts: readonly Resource[] = [
  ['customer', 7],
  ['customer', 7, 'debt', '1#2'],
];
/** The locks were made at `someDay`, for a minute. */
const LEASE_MS = 60_000;

let client: DynamoDBClient;
beforeAll(() => {
  client = localClient(inject('dynamoEndpoint'));
  return () => client.destroy();
});

/** A table of its own with these items, and a worker of this version some time after they were written. */
async function found(name: string, afterMs = 1000) {
  const { items, late } = fixture(name);
  const tableName = await claimsTable(client);
  for (const Item of items) await client.send(new PutItemCommand({ TableName: tableName, Item }));
  const host: Host = { ...nodeHost, now: () => someDay + afterMs };
  const there = <T>(request: object): T => JSON.parse(JSON.stringify(request).replaceAll('"TABLE"', `"${tableName}"`));
  return {
    tableName,
    locks: resourceLocks({ store: dynamoLockStore({ tableName, client }), host }),
    /** A write of one item, or a transaction, of a worker of that version. */
    async arriveLate(): Promise<unknown> {
      const request = there<{ TransactItems?: { Put?: object; Update?: object }[] }>(late ?? {});
      if (request.TransactItems === undefined) return client.send(new PutItemCommand(request as never));
      if (request.TransactItems[0]?.Put) return client.send(new TransactWriteItemsCommand(request as never));
      return DynamoDBDocumentClient.from(client).send(new TransactWriteCommand(request as never));
    },
    async items(): Promise<readonly Item[]> {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
      return Items;
    },
  };
}

const refused = /conditional request failed|Transaction cancelled/;

it('has one of each: locks in every status, and works that were begun, done, named and unnamed', () => {
  const all = readdirSync(FOLDER).map((file) => fixture(file.slice(0, -'.json'.length)));
  const items = all.flatMap((one) => one.items);
  const valuesOf = (name: string) => new Set(items.flatMap((item) => item[name]?.S ?? []));
  expect(valuesOf('status')).toEqual(new Set(['held', 'kept', 'ended']));
  expect(valuesOf('v')).toEqual(new Set(['lock-1', 'work-1', 'work-2']));
  expect(all.filter(({ late }) => late)).toHaveLength(6);
});

describe('a lock of an earlier version', () => {
  it('that is held is read, keeps other holders out, and lets its own in, with higher fences', async () => {
    const { locks } = await found('held');
    const [customer] = debts;
    expect(await locks.read(debts)).toMatchObject([
      { resource: customer, status: 'held', holder: HOLDER, reason: 'repayment 17', until: someDay + LEASE_MS },
      { resource: debts[1], status: 'held' },
    ]);
    expect(await locks.tryLockAll([customer as Resource], { holder: 'other' })).toMatchObject({ outcome: 'busy' });
    const lock = await locks.lockAll(debts, { holder: HOLDER });
    expect(debts.map(lock.fence)).toEqual([2, 2]);
    expect(lock.since).toBe(someDay);
  });

  it('that is held is taken over after its lease, and a renewal that its worker sends late is refused', async () => {
    const { locks, arriveLate, items } = await found('held', LEASE_MS + 2000);
    const lock = await locks.lockAll(debts, { holder: 'other' });
    expect(lock.takenOver).toMatchObject([{ holder: HOLDER }, { holder: HOLDER }]);
    const before = await items();
    await expect(arriveLate()).rejects.toThrow(refused);
    expect(await items()).toEqual(before);
    expect(await lock.unlock()).toBe('unlocked');
  });

  it('that is held is renewed by its own worker until it is taken over', async () => {
    const { arriveLate, locks } = await found('held');
    await arriveLate();
    expect(await locks.read(debts)).toMatchObject([{ until: someDay + 20_000 + LEASE_MS }, {}]);
  });

  it('that is kept waits for its holder for as long as that version said', async () => {
    const keepMs = 15 * 60_000;
    const early = await found('kept', keepMs - 1000);
    expect(await early.locks.tryLockAll(debts, { holder: 'other' })).toMatchObject({ outcome: 'busy' });
    expect((await early.locks.lockAll(debts, { holder: HOLDER })).takenOver).toEqual([]);
    const late = await found('kept', keepMs + 2000);
    expect(await late.locks.tryLockAll(debts, { holder: 'other' })).toMatchObject({ outcome: 'locked' });
  });

  it('that has ended, or was handed over, goes on with the fences of that version', async () => {
    const ended = await found('ended');
    expect(await ended.locks.read(debts)).toEqual([]);
    expect(debts.map((await ended.locks.lockAll(debts, { holder: 'other' })).fence)).toEqual([2, 2]);
    const handed = await found('handed-over');
    expect(await handed.locks.tryLockAll(debts, { holder: 'other' })).toMatchObject({ outcome: 'busy' });
    expect(debts.map((await handed.locks.lockAll(debts, { holder: HOLDER })).fence)).toEqual([3, 3]);
  });

  it('is found under the same ids, hashed ones too', async () => {
    const { locks } = await found('hashed');
    expect(await locks.read(['x'.repeat(3000), 'sha256:named'])).toHaveLength(2);
    expect(await locks.tryLockAll(['x'.repeat(3000)], { holder: 'other' })).toMatchObject({ outcome: 'busy' });
  });

  it('cannot be made over what this version has locked', async () => {
    const { locks, arriveLate } = await found('about-to-lock');
    const lock = await locks.lockAll([debts[1] as Resource], { holder: 'other' });
    await expect(arriveLate()).rejects.toThrow(refused);
    expect(await lock.renew()).toBe('renewed');
    const free = await found('about-to-lock');
    await free.arriveLate();
    expect(await free.locks.tryLockAll(debts, { holder: 'other' })).toMatchObject({ outcome: 'busy' });
  });
});

describe('a large work of an earlier version', () => {
  const items = Array.from({ length: 60 }, (_, n) => n);

  /** Goes on with the work, and says which items it did. */
  async function goOn(tableName: string, more: Partial<ForEachItemOptions<number>> = {}, list = items) {
    const did: number[] = [];
    // Another one for each attempt.
    const Key = { id: `nothing ${nodeHost.randomId()}` };
    const fence: TransactAction = {
      ConditionCheck: { TableName: tableName, Key, ConditionExpression: 'attribute_not_exists(id)' },
    };
    const options = { id: HOLDER, work: 'repay', fence, tableName, client, ...more };
    const result = await forEachItem(list, options, (chunk) => {
      did.push(...chunk);
      return [];
    });
    return { result, did: did.sort((a, b) => a - b) };
  }

  it.each(['work-begun', 'named-work-begun'])(
    '%s: is gone on with from where it is, and what its worker sends late is refused',
    async (name) => {
      const { tableName, arriveLate } = await found(name);
      expect(await readProgress({ tableName, client, id: HOLDER, work: 'repay' })).toEqual({ total: 60, done: 40 });
      // It has begun, and nothing more: from here on, no other attempt commits anything.
      await expect(goOn(tableName, { signal: AbortSignal.abort() })).rejects.toThrow(WorkUnfinishedError);
      await expect(arriveLate()).rejects.toThrow(refused);
      const { result, did } = await goOn(tableName);
      expect(result).toEqual({ outcome: 'done', total: 60, done: 60 });
      expect(did).toEqual(items.slice(40));
    },
  );

  it.each(['work-begun', 'named-work-begun'])('%s: its own worker goes on until then', async (name) => {
    const { tableName, arriveLate } = await found(name);
    await arriveLate();
    expect(await readProgress({ tableName, client, id: HOLDER, work: 'repay' })).toEqual({ total: 60, done: 50 });
    expect((await goOn(tableName)).did).toEqual(items.slice(50));
  });

  it('that one version began and the next one went on with in the same place is gone on with there', async () => {
    const { tableName, arriveLate } = await found('work-begun-and-named-later');
    expect(await readProgress({ tableName, client, id: HOLDER, work: 'repay' })).toEqual({ total: 60, done: 40 });
    const { did } = await goOn(tableName);
    expect(did).toEqual(items.slice(40));
    await expect(arriveLate()).rejects.toThrow(refused);
    // Another work of the same request has a name of its own, and nothing of it is done.
    expect((await goOn(tableName, { work: 'notify' })).did).toEqual(items);
  });

  it.each(['work-done', 'named-work-done'])(
    '%s: is not done again, and no other list is taken for it',
    async (name) => {
      const { tableName } = await found(name);
      expect((await goOn(tableName)).did).toEqual([]);
      await expect(goOn(tableName, {}, items.slice(1))).rejects.toThrow(WorkChangedError);
    },
  );

  it('is not begun from the start by a version that knows no names, when this one has begun it', async () => {
    const { tableName, arriveLate } = await found('about-to-begin-a-work');
    await expect(goOn(tableName, { signal: AbortSignal.abort() })).rejects.toThrow(WorkUnfinishedError);
    await expect(arriveLate()).rejects.toThrow(refused);
    const first = await found('about-to-begin-a-work');
    await first.arriveLate();
    // There it has begun first: it is gone on with in its place.
    expect((await goOn(first.tableName)).did).toEqual(items);
    expect((await first.items()).map(({ v }) => v?.S)).toEqual(['work-1', 'work-1']);
  });
});
