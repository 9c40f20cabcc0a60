import {
  type ConsumedCapacity,
  type DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { type ClaimRecord, InDoubtError, type ListsOpenClaims, type OpenQuery, once } from '../../../lib/pawl/index.ts';
import { dynamoLockStore, forEachItem, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { openShard, openShards } from '../../../lib/pawl/rules/open.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore, OpenIndexError, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { record } from '../../support/records.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient, tableWithoutIndex } from '../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
let tableName: string;
let store: ReturnType<typeof dynamoStore>;

beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
beforeEach(async () => {
  tableName = await claimsTable(client);
  store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
});
afterAll(() => {
  client.destroy();
  vi.restoreAllMocks();
});

async function openIds(
  list: ListsOpenClaims = withListing(store),
  query: OpenQuery = { limit: 1000 },
): Promise<readonly string[]> {
  const { claims } = await list.listOpen(query);
  return claims.map(({ id }) => id).sort();
}

async function put(changes: Partial<ClaimRecord>): Promise<ClaimRecord> {
  const old = record(changes);
  await client.send(new PutItemCommand({ TableName: tableName, Item: toItem(old) }));
  return old;
}

async function items(): Promise<readonly NonNullable<PutItemCommandInput['Item']>[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
  return Items;
}

describe('a claim is in the list', () => {
  test('from its parking to its resolution', async () => {
    const charge = once({ operation: 'charge', store, key: (id: string) => id, onAbandoned: 'park' }, () => {
      throw new InDoubtError('no answer');
    }).outcome;
    await expect(charge('order-1')).rejects.toThrow('no answer');
    expect((await withListing(store).listOpen({ limit: 10 })).claims).toMatchObject([
      { id: 'charge#order-1', status: 'parked', error: { name: 'outcome-unknown' }, attempts: 1 },
    ]);
    await resolverOf({ operation: 'charge', store }).resolve('order-1', 'applied', { by: 'maria', note: '' });
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
    store: individualDynamoStore({ tableName, aws: sdk({ dynamodb: counting }) }),
    onAbandoned: 'park',
    key: bodyField('id'),
    aws: noQueue,
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
  await Promise.all(ids.map((id) => put({ id, status: 'parked', open: openShard(id) })));
  const counting = another();
  let read = 0;
  counting.middlewareStack.add((next, { commandName }) => async (args) => {
    const result = await next(args);
    if (commandName === 'QueryCommand')
      read += (result.output as { readonly Items?: readonly unknown[] }).Items?.length ?? 0;
    return result;
  });
  const list = dynamoStore({ tableName, aws: sdk({ dynamodb: counting }) });
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    read = 0;
    const page = await withListing(list).listOpen({ limit: 100, ...(cursor !== undefined && { cursor }) });
    expect(page.claims.length).toBeLessThanOrEqual(100);
    expect(read).toBeLessThan(page.claims.length + openShards);
    found.push(...page.claims.map(({ id }) => id));
    if (page.cursor === undefined) break;
    ({ cursor } = page);
  }
  expect(found.sort()).toEqual([...ids].sort());
});

test('what else is in the table is never in the list: locks, the progress of and the progress of large work', async () => {
  const locks = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
  const rules = { holder: 'request-1', unlock: { onSuccess: 'keep', onFailure: 'keep' } } as const;
  await resourceLocks({ store: locks }).withLock(['x'], rules, async (lock) => {
    const work = { store: locks, id: 'request-1', work: 'repay', fence: locks.stillHeld(lock) };
    await forEachItem(['x', 'y'], work, () => []);
  });
  expect((await items()).length).toBeGreaterThanOrEqual(3);
  expect(await openIds()).toEqual([]);
});

describe('a table without the index', () => {
  beforeEach(async () => {
    tableName = await tableWithoutIndex(client);
    store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
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
    const refused = withListing(store).listOpen({ limit: 10 });
    await expect(refused).rejects.toBeInstanceOf(OpenIndexError);
    await expect(refused).rejects.toMatchObject({
      reason: 'missing',
      message: expect.stringContaining('Deploy ClaimsTable'),
    });
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
