import {
  type ConsumedCapacity,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { openShard, openShards } from '../../lib/claims/open.ts';
import { successor } from '../../lib/claims/successor.ts';
import {
  type ClaimRecord,
  InDoubtError,
  type ListsOpenClaims,
  type OpenQuery,
  once,
  parkedClaims,
} from '../../lib/index.ts';
import { dynamoLockStore, forEachItem, resourceLocks } from '../../lib/locks/index.ts';
import { bodyField, eachMessage } from '../../lib/sqs/index.ts';
import {
  backfillOpenClaims,
  dynamoStore,
  individualDynamoStore,
  OpenIndexError,
} from '../../lib/stores/dynamodb/index.ts';
import { toItem } from '../../lib/stores/dynamodb/item.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../support/lambda.ts';
import { record } from '../support/records.ts';
import { claimsTable, localClient, tableWithoutIndex } from '../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
let tableName: string;
let store: ReturnType<typeof dynamoStore>;

beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
beforeEach(async () => {
  tableName = await claimsTable(client);
  store = dynamoStore({ tableName, client });
});
afterAll(() => {
  client.destroy();
  vi.restoreAllMocks();
});

async function openIds(list: ListsOpenClaims = store, query: OpenQuery = { limit: 1000 }): Promise<readonly string[]> {
  const { claims } = await list.listOpen(query);
  return claims.map(({ id }) => id).sort();
}

/** As a version of pawl without the index writes a record. */
async function putOld(changes: Partial<ClaimRecord>): Promise<ClaimRecord> {
  const old = record(changes);
  await client.send(new PutItemCommand({ TableName: tableName, Item: toItem(old) }));
  return old;
}

async function items(): Promise<readonly NonNullable<PutItemCommandInput['Item']>[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
  return Items;
}

const doubtful = JSON.stringify([{ name: 'charge', state: 'started', at: 1, fence: 1 }]);

describe('a claim is in the list', () => {
  test('from its parking to its resolution', async () => {
    const charge = once({ operation: 'charge', store, key: (id: string) => id, onAbandoned: 'park' }, () => {
      throw new InDoubtError('no answer');
    }).outcome;
    await expect(charge('order-1')).rejects.toThrow('no answer');
    expect((await store.listOpen({ limit: 10 })).claims).toMatchObject([
      { id: 'charge#order-1', status: 'parked', error: { name: 'outcome-unknown' }, attempts: 1 },
    ]);
    await parkedClaims({ operation: 'charge', store }).resolve('order-1', 'applied', { by: 'maria', note: '' });
    expect(await openIds()).toEqual([]);
    expect((await items()).map((item) => item['open'])).toEqual([undefined]);
  });

  test('while it is in flight, for a caller that may never come back', async () => {
    const seen: (readonly string[])[] = [];
    const look = async () => void seen.push(await openIds());
    const options = { store, key: (id: string) => id, onAbandoned: 'park' } as const;
    await once({ ...options, operation: 'watched' }, look).outcome('1');
    await once({ ...options, operation: 'unwatched', watched: false }, look).outcome('1');
    expect(seen).toEqual([['watched#1'], []]);
    expect(await openIds()).toEqual([]);
  });
});

test('a message that completes costs two write units of the table and none of the index; a watched call, one more at each end', async () => {
  const units = { table: 0, index: 0 };
  const counting = another();
  counting.middlewareStack.add((next, { commandName }) => async (args) => {
    const writes = commandName === 'PutItemCommand' || commandName === 'BatchExecuteStatementCommand';
    if (writes) Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
    const result = await next(args);
    const { ConsumedCapacity = [] } = result.output as {
      readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[];
    };
    for (const { Table, GlobalSecondaryIndexes } of writes ? [ConsumedCapacity].flat() : []) {
      units.table += Table?.CapacityUnits ?? 0;
      units.index += GlobalSecondaryIndexes?.['open']?.CapacityUnits ?? 0;
    }
    return result;
  });
  const options = {
    operation: 'charge',
    // DynamoDB Local counts no units of PartiQL; both stores write the same records.
    store: individualDynamoStore({ tableName, client: counting }),
    onAbandoned: 'park',
    key: bodyField('id'),
    sqsClient: noQueue,
  } as const;
  const deliver = eachMessage<{ id: string }>(options, () => undefined);
  expect(failuresOf(await deliver(sqsEvent(sqsRecord({ id: '1' }), sqsRecord({ id: '2' })), context()))).toEqual([]);
  expect(units).toEqual({ table: 4, index: 0 });

  await once(
    { operation: 'charge', store: options.store, onAbandoned: 'park', key: (id: string) => id },
    () => 'done',
  ).outcome('3');
  expect(units).toEqual({ table: 6, index: 2 });
});

test('a long list is read in pages, and a page reads no more of the index than it holds', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `a#${index}`);
  await Promise.all(ids.map((id) => putOld({ id, status: 'parked', open: openShard(id) })));
  const counting = another();
  let read = 0;
  counting.middlewareStack.add((next, { commandName }) => async (args) => {
    const result = await next(args);
    if (commandName === 'QueryCommand')
      read += (result.output as { readonly Items?: readonly unknown[] }).Items?.length ?? 0;
    return result;
  });
  const list = dynamoStore({ tableName, client: counting });
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    read = 0;
    const page = await list.listOpen({ limit: 100, ...(cursor !== undefined && { cursor }) });
    expect(page.claims.length).toBeLessThanOrEqual(100);
    expect(read).toBeLessThan(page.claims.length + openShards);
    found.push(...page.claims.map(({ id }) => id));
    if (page.cursor === undefined) break;
    ({ cursor } = page);
  }
  expect(found.sort()).toEqual([...ids].sort());
});

test('what else is in the table is never in the list: locks, the progress of large work, and that of a backfill', async () => {
  const locks = dynamoLockStore({ tableName, client });
  const rules = { holder: 'request-1', unlock: { onSuccess: 'keep', onFailure: 'keep' } } as const;
  await resourceLocks({ store: locks }).withLock(['x'], rules, async (lock) => {
    const work = { tableName, client, id: 'request-1', work: 'repay', fence: locks.stillHeld(lock) };
    await forEachItem(['x', 'y'], work, () => []);
  });
  await backfillOpenClaims({ tableName, client });
  expect((await items()).length).toBeGreaterThanOrEqual(3);
  expect(await openIds()).toEqual([]);
});

describe('a table without the index', () => {
  beforeEach(async () => {
    tableName = await tableWithoutIndex(client);
    store = dynamoStore({ tableName, client });
  });

  test('serves consumers as before', async () => {
    const charge = once(
      { operation: 'charge', store, key: (id: string) => id, onAbandoned: 'park' },
      () => 'done',
    ).outcome;
    expect(await charge('order-1')).toMatchObject({ outcome: 'completed', replayed: false });
    expect(await charge('order-1')).toMatchObject({ outcome: 'completed', replayed: true, result: 'done' });
  });

  test('has no list, which says what to deploy', async () => {
    const refused = store.listOpen({ limit: 10 });
    await expect(refused).rejects.toBeInstanceOf(OpenIndexError);
    await expect(refused).rejects.toMatchObject({
      reason: 'missing',
      message: expect.stringContaining('Deploy ClaimsTable'),
    });
  });
});

describe('a backfill', () => {
  test('finds what a version without the index has parked or left in doubt, and nothing else', async () => {
    const open = [
      await putOld({ id: 'a#parked', status: 'parked', expiresAt: undefined }),
      await putOld({ id: 'a#in-doubt', status: 'released', unknownAt: 1, expiresAt: undefined }),
      await putOld({ id: 'a#step', status: 'released', checkpoints: doubtful, expiresAt: undefined }),
      await putOld({ id: 'a#taken-over', unknownAt: 1, abandoned: 1, fence: 2 }),
      await putOld({ id: 'a#schema-1', status: 'parked', rev: undefined, v: 1 }),
    ];
    for (const status of ['in-flight', 'released', 'completed', 'rejected'] as const)
      await putOld({ id: `b#${status}`, status });
    await putOld({ id: 'b#step-under-way', checkpoints: doubtful });
    expect(await store.listOpen({ limit: 10 })).toEqual({
      claims: [],
      foreign: [],
      cursor: undefined,
      incomplete: true,
    });

    const progress = await backfillOpenClaims({ tableName, client });
    expect(progress).toMatchObject({ added: 5, removed: 0, leftAlone: 0, parts: { done: 4, of: 4 } });
    expect(await openIds()).toEqual(open.map(({ id }) => id).sort());
    expect((await store.listOpen({ limit: 10 })).incomplete).toBe(false);
    // Under its revision: whoever saw the record before must look again.
    expect(await store.read('a#parked')).toMatchObject({ status: 'parked', rev: 2, v: 2 });
    expect(await store.read('b#completed')).toEqual(expect.objectContaining({ rev: 1 }));
  });

  test('takes out what such a version has ended since', async () => {
    for (const status of ['completed', 'rejected', 'released'] as const)
      await putOld({ id: `a#${status}`, status, open: '03' });
    await putOld({ id: 'a#watched', open: openShard('a#watched') });
    expect(await backfillOpenClaims({ tableName, client })).toMatchObject({ added: 0, removed: 3 });
    const left = (await items()).filter((item) => item['open'] !== undefined);
    // Only its worker knows whether it is watched.
    expect(left.map(({ id }) => id?.S)).toEqual(['a#watched']);
  });

  test('leaves a record of a later schema alone, and says so', async () => {
    const later = { ...toItem(record({ id: 'a#later', status: 'parked' })), v: { N: '3' } };
    await client.send(new PutItemCommand({ TableName: tableName, Item: later }));
    expect(await backfillOpenClaims({ tableName, client })).toMatchObject({ added: 0, leftAlone: 1 });
    const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: { id: { S: 'a#later' } } }));
    expect(Item).toEqual(later);
  });

  test('of an empty table makes its list complete at once, and a later run does not make it incomplete again', async () => {
    expect((await store.listOpen({ limit: 10 })).incomplete).toBe(true);
    await backfillOpenClaims({ tableName, client });
    expect((await store.listOpen({ limit: 10 })).incomplete).toBe(false);
    await expect(backfillOpenClaims({ tableName, client: failingAfter(1) })).rejects.toThrow('killed');
    expect((await store.listOpen({ limit: 10 })).incomplete).toBe(false);
  });

  test('that is killed at any request goes on where it was, until it has found everything', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `a#${index}`);
    for (let killedAt = 1; ; killedAt += 2) {
      tableName = await claimsTable(client);
      store = dynamoStore({ tableName, client });
      await Promise.all(ids.map((id) => putOld({ id, status: 'parked' })));
      const killed = failingAfter(killedAt);
      const first = await backfillOpenClaims({ tableName, client: inSmallPages(killed) }).catch(
        (error: Error) => error,
      );
      if (!(first instanceof Error)) break;
      expect(first.message).toBe('killed');
      expect((await store.listOpen({ limit: 1 })).incomplete).toBe(true);
      await backfillOpenClaims({ tableName, client: ours() });
      expect(await store.listOpen({ limit: 1 })).toMatchObject({ incomplete: false });
      expect(await openIds()).toEqual([...ids].sort());
    }
  });

  test('goes on behind what the call before has read to its end, and with restart from the start', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `a#${index}`);
    for (const id of ids) await putOld({ id, status: 'completed' });
    const killed = backfillOpenClaims({ tableName, client: inSmallPages(failingAfter(20)) });
    await expect(killed).rejects.toThrow('killed');
    const resumed = await backfillOpenClaims({ tableName, client });
    // The marker is an item as well.
    expect(resumed.looked).toBeLessThan(61);
    await expect(backfillOpenClaims({ tableName, client: inSmallPages(failingAfter(20)) })).rejects.toThrow('killed');
    expect((await backfillOpenClaims({ tableName, client, restart: true })).looked).toBe(61);
  });

  test('run by two processes at once misses nothing, and neither fails', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `a#${index}`);
    await Promise.all(ids.map((id) => putOld({ id, status: 'parked' })));
    const both = [0, 1].map(() => backfillOpenClaims({ tableName, client: ours() }));
    const added = (await Promise.all(both)).map((one) => one.added);
    expect((added[0] ?? 0) + (added[1] ?? 0)).toBe(60);
    expect(await openIds()).toEqual([...ids].sort());
    expect((await store.listOpen({ limit: 1 })).incomplete).toBe(false);
  });

  test('that began anew ends the one before, which cannot call the list complete', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => putOld({ id: `a#${index}`, status: 'parked' })));
    let second: Promise<unknown> | undefined;
    const first = backfillOpenClaims({
      tableName,
      client: ours(),
      onProgress() {
        second ??= backfillOpenClaims({ tableName, client, restart: true });
      },
    });
    await expect(first).rejects.toThrow('has begun anew');
    await second;
    expect((await store.listOpen({ limit: 1 })).incomplete).toBe(false);
  });

  test('does not undo what a worker does meanwhile, and its worker goes on', async () => {
    const parked = await putOld({ id: 'charge#order-1', status: 'parked', claimId: 'holder' });
    const racing = another();
    let resolved = false;
    racing.middlewareStack.add((next, { commandName }) => async (args) => {
      if (commandName === 'BatchExecuteStatementCommand' && !resolved) {
        resolved = true;
        const { unknownAt: _, error: __, ...rest } = parked;
        const next = successor(parked, { ...rest, status: 'completed' });
        expect(await store.write({ next, seen: parked })).toEqual({ applied: true });
      }
      return next(args);
    });
    expect(await backfillOpenClaims({ tableName, client: racing })).toMatchObject({ added: 0 });
    expect(await store.read('charge#order-1')).toMatchObject({ status: 'completed', rev: 2 });
  });
});

const others: DynamoDBClient[] = [];
afterEach(() => {
  for (const one of others.splice(0)) one.destroy();
});

/** A client of another process. */
function another(): DynamoDBClient {
  const one = localClient(inject('dynamoEndpoint'));
  others.push(one);
  return one;
}

const ours = () => inSmallPages(another());

/** A client that fails from its n-th request on, as a process that is killed there. */
function failingAfter(requests: number): DynamoDBClient {
  const dying = another();
  let left = requests;
  dying.middlewareStack.add((next) => async (args) => {
    if (left-- <= 0) throw new Error('killed');
    return next(args);
  });
  return dying;
}

/** DynamoDB's pages hold 1 MB. */
function inSmallPages(given: DynamoDBClient): DynamoDBClient {
  given.middlewareStack.add((next, { commandName }) => async (args) => {
    if (commandName === 'ScanCommand') Object.assign(args.input, { Limit: 4 });
    return next(args);
  });
  return given;
}
