import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type OnceOutcome, once } from '../../lib/pawl/index.ts';
import { dynamoLockStore, forEachItem, resourceLocks } from '../../lib/pawl/locks/index.ts';
import { eachMessage, messageId } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore, markRestored, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { context, sqsEvent, sqsRecord } from '../../test/support/lambda.ts';
import { claimsTable } from '../../test/support/tables.ts';
import { someDay, virtualHost } from '../../test/support/virtual-host.ts';
import type { Item, Records } from './record-changes.ts';
import { die, dying, recordKinds } from './record-kinds.ts';

/*
 * What this version keeps in a table, an item of each kind, and how a later version must find it: what lives there lives for 30 days, or for ever.
 *
 * Owns: the items as DynamoDB has them, what a later call makes of each, and the comparison. Does not own: the kinds of claims (`record-kinds.ts`).
 */

const dayMs = 24 * 3_600_000;
/** The operation of the claims that are called for. */
const called = 'charge';

/** Lets this version write an item of each kind, and call for each claim a day later. */
export async function writeRecords(): Promise<Records> {
  await using server = await startDynamoDbLocal();
  const client = clientOf(server.endpoint);
  const tableName = await claimsTable(client);
  const host = virtualHost();
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const kinds = recordKinds({ store, host });
  for (const [name, write] of Object.entries(kinds)) await write(name);
  await writeOthers(tableName, client);
  const items = await itemsOf(client, tableName);
  const outcomes = await callLater(client, items);
  client.destroy();
  const kept = items.map((item) => {
    const id = idOf(item);
    const outcome = outcomes.get(id);
    return [id, outcome === undefined ? { item } : { item, later: outcome }] as const;
  });
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What this version makes of the claims that the last one has left: the outcome of a call of each, by its id. */
export async function readRecords(records: Records): Promise<ReadonlyMap<string, string>> {
  await using server = await startDynamoDbLocal();
  const client = clientOf(server.endpoint);
  try {
    return await callLater(
      client,
      Object.values(records).map(({ item }) => item),
    );
  } finally {
    client.destroy();
  }
}

/** Puts the items into a table of their own, and calls for each claim a day after they were written. */
async function callLater(client: DynamoDBClient, items: readonly Item[]): Promise<ReadonlyMap<string, string>> {
  const TableName = await claimsTable(client);
  for (const Item of items) await client.send(new PutItemCommand({ TableName, Item }));
  const store = dynamoStore({ tableName: TableName, aws: sdk({ dynamodb: client }) });
  // Ids of its own: a claim under an id that counts up would be taken for this call's own.
  const host = { ...virtualHost(someDay + dayMs), randomId: () => randomUUID() };
  const outcomes = new Map<string, string>();
  for (const id of items.map(idOf).filter((id) => id.startsWith(`${called}#`))) {
    let runs = 0;
    const options = { operation: called, store, host, key: () => id.slice(`${called}#`.length), onEvent: () => {} };
    const call = once({ ...options, onAbandoned: 'retry' }, () => ++runs).outcome;
    const outcome = await call(undefined, { remainingMs: () => 30_000 }).then(said, (error: unknown) =>
      error instanceof Error ? error.name : String(error),
    );
    outcomes.set(id, `${outcome}, ${runs} runs`);
  }
  return outcomes;
}

/** Claims of a message, locks, the progress of a large work, and the mark of a restored table. */
async function writeOthers(tableName: string, client: DynamoDBClient): Promise<void> {
  const host = virtualHost();
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  const consumer = {
    operation: 'mail',
    store,
    host,
    key: messageId(),
    onAbandoned: 'retry',
    onEvent: () => {},
  } as const;
  const event = sqsEvent(sqsRecord('{}', { messageId: 'message-17' }));
  await die((underWay) =>
    eachMessage({ ...consumer, onInFlight: 'discard', statements: true }, dying(underWay))(
      event,
      context(30_000, host.now),
    ),
  );
  const lockStore = dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }));
  const locks = resourceLocks({ store: lockStore, host });
  const debt = (name: string) => [['debt', name]] as const;
  await locks.lockAll(debt('held'), { holder: 'request-held', reason: 'a repayment' });
  const unlocked = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
  await locks.withLock(debt('unlocked'), { holder: 'request-unlocked', unlock: unlocked }, () => undefined);
  const kept = { onSuccess: 'unlock', onFailure: 'keep' } as const;
  const fails = () => Promise.reject(new Error('half of it is done'));
  await locks.withLock(debt('kept'), { holder: 'request-kept', unlock: kept }, fails).catch(() => undefined);
  await locks.withLock(debt('work'), { holder: 'request-work', unlock: unlocked }, (lock) =>
    forEachItem(
      [1, 2, 3],
      { id: 'request-work', work: 'repay', fence: lockStore.stillHeld(lock), store: lockStore, chunk: 2 },
      () => [],
    ),
  );
  const restored = {
    tableName,
    aws: sdk({ dynamodb: client }),
    by: 'maria',
    note: 'restored',
    cutOff: new Date(someDay),
  };
  await markRestored(restored);
}

function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

async function itemsOf(client: DynamoDBClient, TableName: string): Promise<readonly Item[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items;
}

/** An outcome without its wording. */
function said(found: OnceOutcome<number>): string {
  const facts = Object.entries(found).flatMap(([name, value]) =>
    name === 'error' ? [] : [`${name} ${JSON.stringify(value)}`],
  );
  return [...facts, ...('error' in found ? [found.error.name] : [])].join(', ');
}

function idOf({ id }: Item): string {
  return String(id?.S);
}
