import { DeleteItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { record } from '../engine/app/template.ts';
import type { Rehearsal as Engine } from '../rehearsal.ts';
import type { PastMessage } from './carrying.ts';
import type { Intents } from './intents.ts';
import type { Gone } from './journal.ts';
import { consumersOf } from './running.ts';

/** For how long a FIFO queue recognises a deduplication id, in seconds. */
const deduplicationSeconds = 300;

/**
 * Lets time pass for one message: as much as its queue keeps it. What has a time to live that ends within that time is deleted, if it is about the
 * message, and FIFO queues forget its deduplication ids. Returns what is gone, each as a line of its story.
 */
export async function letTimePass(
  engine: Engine,
  intents: Intents,
  { construct, intent, messageId }: PastMessage,
): Promise<readonly { readonly gone: Gone; readonly text: string }[]> {
  const seconds = consumersOf(engine).find((one) => one.construct === construct)?.queue.retentionSeconds ?? 0;
  const isAbout = (text: string) =>
    intents.namedIn(text).includes(intent) || (messageId !== '' && text.includes(messageId));
  const expired = await expire(engine, isAbout, Date.now() / 1_000 + seconds);
  const days = `${Number((seconds / 86_400).toFixed(2))} days PASS`;
  const gone = expired.map((table) => ({ gone: 'record' as const, text: `${days}: a record of ${table} EXPIRES` }));
  if (seconds < deduplicationSeconds) return gone;
  const forgotten = engine.sqs.endDeduplication(isAbout);
  const forgets = (queue: string) => `${days}: ${queue} FORGETS its deduplication id`;
  return [...gone, ...forgotten.map((queue) => ({ gone: 'deduplication-id' as const, text: forgets(queue) }))];
}

/** Deletes the items of which the time to live ends by then. Returns the table of each. */
async function expire(
  { dynamo, stacks }: Engine,
  isAbout: (text: string) => boolean,
  until: number,
): Promise<readonly string[]> {
  const expired: string[] = [];
  for (const { name, keys, ttlAttribute } of stacks.flatMap(({ tables }) => tables)) {
    if (ttlAttribute === undefined) continue;
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: name, ConsistentRead: true })) {
      for (const item of Items) {
        const expiresAt = Number(record(item[ttlAttribute])['N']);
        // DynamoDB leaves an item without a number there.
        if (!(expiresAt <= until) || !isAbout(JSON.stringify(item))) continue;
        const Key = Object.fromEntries(Object.entries(item).filter(([attribute]) => keys.includes(attribute)));
        await dynamo.send(new DeleteItemCommand({ TableName: name, Key }));
        expired.push(name);
      }
    }
  }
  return expired;
}
