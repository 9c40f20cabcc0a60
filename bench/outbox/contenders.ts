import { BatchWriteItemCommand, type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Pool, PoolClient } from 'pg';
import { type ClaimStore, once } from '../../lib/pawl/index.ts';
import { dynamoOutbox, postgresOutbox } from '../../lib/pawl/outbox/index.ts';
import * as inPostgres from '../../lib/pawl/postgres/index.ts';
import { type Aws, bodyField, type SqsHandler, sendOnce } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { commit, eachTransaction, transactionalStore } from '../../lib/pawl/transactions/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../test/support/lambda.ts';

/** Enters a payment, and sends so many messages behind it. */
type Pay = (id: string, messages: number) => Promise<void>;

/** The contenders of a database, all of which do the same. */
export type Contenders = Readonly<Record<(typeof contenders)[number], Pay>>;

/** `byHand` is the least that a consumer of its own needs: no claim, no order, and no look at what a lost answer has left. */
export const contenders = ['byHand', 'transaction', 'commit', 'sendOnce'] as const;

export const titles = {
  byHand: 'by hand: a transaction of data and messages, without a claim',
  transaction: '`eachTransaction` with the messages',
  commit: '`commit` in a handler, with the messages',
  sendOnce: '`commit` in a handler, and then `sendOnce` for each',
} as const satisfies Readonly<Record<keyof Contenders, string>>;

const quiet = () => undefined;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const keyOf = (id: string, n: number) => `${id}/${n}`;

/** Where messages go. */
interface Queue {
  readonly sqs: SQSClient;
  readonly url: string;
}

interface Tables {
  readonly dynamodb: DynamoDBClient;
  readonly claims: string;
  readonly ledger: string;
  readonly outbox: string;
}

/** As few requests as there can be: all messages in one. */
async function sendByHand({ sqs, url }: Queue, id: string, messages: number): Promise<void> {
  const Entries = numbers(messages).map((n) => ({ Id: String(n), MessageBody: JSON.stringify({ key: keyOf(id, n) }) }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
}

function sendingOnce(store: ClaimStore, aws: Aws, url: string) {
  const send = sendOnce({ operation: 'receipt', store, aws, queueUrl: url, onEvent: quiet });
  return (id: string, messages: number) =>
    Promise.all(numbers(messages).map((n) => send({ key: keyOf(id, n), body: { n } })));
}

function delivering(handlerOf: (messages: number) => SqsHandler): Pay {
  return async (id, messages) => {
    const failed = failuresOf(await handlerOf(messages)(sqsEvent(sqsRecord({ id })), context(60_000)));
    if (failed.length > 0) throw new Error(`${id} has failed`);
  };
}

export function inDynamoDb({ dynamodb, claims, ledger, outbox: tableName }: Tables, queue: Queue): Contenders {
  const aws = sdk({ dynamodb, sqs: queue.sqs });
  const store = transactionalStore(dynamoStore({ tableName: claims, aws }));
  const outbox = dynamoOutbox({ tableName, aws, onEvent: quiet });
  const entry = (id: string) => ({ Put: { TableName: ledger, Item: { id } } });
  const messagesOf = (id: string, count: number) =>
    numbers(count).map((n) => outbox.message({ to: queue.url, key: keyOf(id, n), body: { n } }));
  const shared = { operation: 'pay', store, onEvent: quiet };
  const send = sendingOnce(store, aws, queue.url);
  const committing = (count: (messages: number) => number, messages: number) =>
    once({ ...shared, key: (id: string) => id, onAbandoned: 'park' }, (id: string, claim) =>
      commit(claim, [entry(id), ...messagesOf(id, count(messages))]),
    );
  return {
    async byHand(id, messages) {
      const items = numbers(messages).map((n) => ({ id: { S: keyOf(id, n) }, n: { N: '1' } }));
      const puts = items.map((Item) => ({
        Put: { TableName: tableName, Item: { ...Item, body: { S: JSON.stringify({}) } } },
      }));
      const data = { Put: { TableName: ledger, Item: { id: { S: id } } } };
      await dynamodb.send(new TransactWriteItemsCommand({ TransactItems: [data, ...puts] }));
      await sendByHand(queue, id, messages);
      const RequestItems = { [tableName]: items.map((Key) => ({ DeleteRequest: { Key } })) };
      await dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
    },
    transaction: delivering((messages) =>
      eachTransaction<{ id: string }>({ ...shared, key: bodyField('id') }, ({ body }) => [
        entry(body.id),
        ...messagesOf(body.id, messages),
      ]),
    ),
    commit: async (id, messages) => void (await committing((count) => count, messages)(id)),
    async sendOnce(id, messages) {
      await committing(() => 0, messages)(id);
      await send(id, messages);
    },
  };
}

export const tablesByHand = `CREATE TABLE entries (id text PRIMARY KEY);
CREATE TABLE by_hand (id text PRIMARY KEY, body text NOT NULL)`;

export function inPostgreSql(pool: Pool, queue: Queue): Contenders {
  const aws = sdk({ sqs: queue.sqs });
  const store = inPostgres.postgresStore({ pool });
  const outbox = postgresOutbox({ pool, aws, onEvent: quiet });
  const enter = (tx: PoolClient, id: string) => tx.query('INSERT INTO entries VALUES ($1)', [id]);
  const messagesOf = (id: string, count: number) =>
    numbers(count).map((n) => outbox.message({ to: queue.url, key: keyOf(id, n), body: { n } }));
  const shared = { operation: 'pay', store, onEvent: quiet };
  const send = sendingOnce(store, aws, queue.url);
  const committing = (count: (messages: number) => number, messages: number) =>
    once({ ...shared, key: (id: string) => id, onAbandoned: 'park' }, (id: string, claim) =>
      inPostgres.commit(claim, async (tx: PoolClient) => {
        await enter(tx, id);
        return messagesOf(id, count(messages));
      }),
    );
  return {
    async byHand(id, messages) {
      const keys = numbers(messages).map((n) => keyOf(id, n));
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await enter(client, id);
        await client.query(`INSERT INTO by_hand SELECT unnest($1::text[]), '{}'`, [keys]);
        await client.query('COMMIT');
        await sendByHand(queue, id, messages);
        await client.query('DELETE FROM by_hand WHERE id = ANY ($1)', [keys]);
      } finally {
        client.release();
      }
    },
    transaction: delivering((messages) =>
      inPostgres.eachTransaction<{ id: string }, PoolClient>(
        { ...shared, aws, key: bodyField('id') },
        async ({ body }, tx) => {
          await enter(tx, body.id);
          return messagesOf(body.id, messages);
        },
      ),
    ),
    commit: async (id, messages) => void (await committing((count) => count, messages)(id)),
    async sendOnce(id, messages) {
      await committing(() => 0, messages)(id);
      await send(id, messages);
    },
  };
}
