import { call } from '../../stores/dynamodb/calls.ts';
import { fieldsOf, toItem } from '../../stores/dynamodb/item.ts';
import type { AppWrite } from '../../transactions/store.ts';
import type { OutboxTable } from './store.ts';

/**
 * The numbers of a lane that keeps order: a counter at place 0, which a commit reads and conditions on. A sequence of its own would leave gaps, and behind a
 * gap a lane would wait for ever.
 *
 * 1. Number n + 1 is committed only if n was the last one. So numbers have no gaps, and a lane is the messages that are not sent, in their order.
 * 2. A counter that nothing has used for a day ends by TTL. The next number is beyond every one that still lies in the lane.
 */

/** How long a counter is kept, in seconds. It ends by itself, or a table would hold one for each customer for ever. */
const counterSeconds = 24 * 3600;

/** A lane, as a commit finds it. */
export interface Head {
  readonly lane: string;
  /** The last number of the counter; nothing where there is none. */
  readonly counted: number | undefined;
  /** The last number that was given. */
  readonly last: number;
  /** Whether messages lie in it that are not known to be sent. */
  readonly waits: boolean;
}

/** Reads a lane. One request, unless its counter has ended before its messages have left. */
export async function readHead(table: OutboxTable, lane: string): Promise<Head> {
  const [first, second] = await read(table, lane, true, 2);
  if (first?.n === 0) return { lane, counted: first.counted, last: first.counted ?? 0, waits: second !== undefined };
  const [last] = first === undefined ? [] : await read(table, lane, false, 1);
  return { lane, counted: undefined, last: last?.n ?? 0, waits: first !== undefined };
}

async function read({ nameOfTable, transport }: OutboxTable, lane: string, ScanIndexForward: boolean, Limit: number) {
  const { Items = [] } = await call(transport, 'Query', {
    TableName: nameOfTable(),
    KeyConditionExpression: 'id = :id',
    ExpressionAttributeValues: toItem({ ':id': lane }),
    ProjectionExpression: 'n, counted',
    ConsistentRead: true,
    ScanIndexForward,
    Limit,
  });
  return Items.map((item) => fieldsOf(item) as { readonly n: number; readonly counted?: number });
}

/** Counts a lane on, if no other commit has done so since it was read. @param now in epoch milliseconds */
export function counting({ nameOfTable }: OutboxTable, { lane, counted }: Head, last: number, now: number): AppWrite {
  return {
    Update: {
      TableName: nameOfTable(),
      Key: { id: lane, n: 0 },
      UpdateExpression: 'SET counted = :last, expiresAt = :expiresAt',
      ConditionExpression: counted === undefined ? 'attribute_not_exists(id)' : 'counted = :counted',
      ExpressionAttributeValues: {
        ':last': last,
        ':expiresAt': Math.ceil(now / 1000) + counterSeconds,
        ':counted': counted,
      },
    },
  };
}
