import { BatchWriteItemCommand, ScanCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { type DynamoOutbox, dynamoOutbox, outboxSweep } from '../../../../lib/pawl/outbox/index.ts';
import { context } from '../../../support/lambda.ts';
import { outboxTable } from '../../../support/tables.ts';
import { consume, setUpOutbox } from './support.ts';

type World = Awaited<ReturnType<typeof setUpOutbox>>;

const change = ({ changes }: World, n: number) => ({
  to: changes.url,
  key: `maria/${n}`,
  body: { n },
  group: 'maria',
});

/** A commit of the author's own. The worker dies before it sends, unless `sends`. */
async function commit(world: World, { message, prepare }: DynamoOutbox, n: number, sends = false): Promise<void> {
  const { writes, sendNow } = await prepare([message(change(world, n))]);
  const documents = DynamoDBDocumentClient.from(world.client);
  await documents.send(new TransactWriteCommand({ TransactItems: writes as never }));
  if (sends) await sendNow(10_000);
}

async function itemsOf({ client }: World, TableName: string): Promise<readonly WriteRequest[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items.map((Item) => ({ PutRequest: { Item } }));
}

/** Another table, with what the first one had at the point in time. */
async function restoredFrom(world: World, kept: readonly WriteRequest[]) {
  const tableName = await outboxTable(world.client);
  await world.client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: [...kept] } }));
  return { tableName, outbox: dynamoOutbox({ ...world.shared, tableName }) };
}

const sweep = (outbox: DynamoOutbox) =>
  outboxSweep({ outbox, olderThanMs: 0, onReport: () => undefined })({}, context());

describe('an outbox table that was restored from a point in time', () => {
  it('sends what lies there again under its key, and what is committed now behind it, in the order of the group', async () => {
    const world = await setUpOutbox();
    for (const n of [1, 2]) await commit(world, world.outbox, n);
    const kept = await itemsOf(world, world.outboxTable);
    // Since the point in time: the two are sent, and a third one, whose number the restored counter does not know.
    await commit(world, world.outbox, 3);
    await sweep(world.outbox);
    expect(await world.waiting()).toEqual([]);
    const { tableName, outbox } = await restoredFrom(world, kept);
    await commit(world, outbox, 4, true);
    // The worker knows two earlier ones not to be sent there, so it leaves its own to the sweep.
    expect(await itemsOf(world, tableName)).toHaveLength(4);
    await sweep(outbox);
    expect(await itemsOf(world, tableName)).toHaveLength(1);
    // The queue has known the copies by their ids; a consumer knows them by their keys, also later.
    expect(await world.sent('changes.fifo')).toEqual([1, 2, 3, 4].map((n) => ({ n })));
    expect(await consume(world, world.changes)).toEqual([1, 2, 3, 4].map((n) => ({ n })));
  });

  it('loses what was committed since and not sent, unless a sweep has emptied the earlier table first', async () => {
    const world = await setUpOutbox();
    await commit(world, world.outbox, 1, true);
    const kept = await itemsOf(world, world.outboxTable);
    await commit(world, world.outbox, 2);
    const { outbox } = await restoredFrom(world, kept);
    await sweep(outbox);
    expect(await world.sent('changes.fifo')).toEqual([{ n: 1 }]);
    await sweep(world.outbox);
    await commit(world, outbox, 3, true);
    expect(await world.sent('changes.fifo')).toEqual([1, 2, 3].map((n) => ({ n })));
  });
});
