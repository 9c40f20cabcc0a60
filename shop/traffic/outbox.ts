import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { messagesIn } from '../../lib/rehearsal/services/sqs/drain.ts';
import type { Shop } from '../app/shop.ts';

/** How many messages lie in the outbox. Place 0 of a lane is a counter. */
export async function messagesInOutbox(dynamo: DynamoDBClient, table: string): Promise<number> {
  let found = 0;
  const all = { TableName: table, ConsistentRead: true, FilterExpression: 'n > :counter' };
  for await (const { Count = 0 } of paginateScan(
    { client: DynamoDBDocumentClient.from(dynamo) },
    { ...all, ExpressionAttributeValues: { ':counter': 0 } },
  )) {
    found += Count;
  }
  return found;
}

const betweenSweepsMs = 1_000;

/**
 * The schedule of the relay, on a faster clock: it sweeps while something lies in the outbox. Returns when all payments are posted and the outbox is empty,
 * or the time is up.
 */
export async function sweepOutbox(shop: Shop, until: number): Promise<void> {
  const { sqs, dynamo, payments, outbox } = shop;
  while (Date.now() < until) {
    // The queue first: what leaves it now may have put messages into the outbox.
    const unposted = messagesIn(await sqs.depth(payments.consumer.queue.name));
    const waiting = await messagesInOutbox(dynamo, outbox.table);
    if (unposted + waiting === 0) return;
    if (waiting > 0 && !outbox.isSwept()) await outbox.relay.run();
    await sleep(betweenSweepsMs);
  }
}
