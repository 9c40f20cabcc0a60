import type { Pool, PoolClient } from 'pg';
import { eachTransaction, postgresStore } from '../../lib/pawl/postgres/index.ts';
import { eachMessage, type SqsHandler } from '../../lib/pawl/sqs/index.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../test/support/lambda.ts';

/** The effect in the database, which two of the contenders have in common. */
export const effectTable = 'CREATE TABLE entries (id text PRIMARY KEY, cents int NOT NULL)';
const insertEntry = 'INSERT INTO entries (id, cents) VALUES ($1, 100)';

/** The least that a consumer of its own needs: a row that says whether a key is taken, and done. No fence, no look at what a lost response has left. */
export const tableByHand =
  'CREATE TABLE by_hand (id text PRIMARY KEY, status text NOT NULL, lease_until bigint NOT NULL)';
const claimByHand = `INSERT INTO by_hand (id, status, lease_until) SELECT unnest($1::text[]), $2, $3
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** Works on the messages with these keys, which is a batch. */
export type Contender = (keys: readonly string[]) => Promise<void>;

/** Each pair does the same, once by hand and once by pawl. */
export const pairs = {
  'claim and completion around an effect elsewhere': {
    byHand:
      (pool: Pool): Contender =>
      async (keys) => {
        const { rows } = await using(pool, (client) =>
          client.query(claimByHand, [keys, 'started', Date.now() + 30_000]),
        );
        const taken = rows.map(({ id }) => id);
        const isNew = taken.length === keys.length;
        if (!isNew)
          await using(pool, (client) => client.query('SELECT id, status FROM by_hand WHERE id = ANY($1)', [keys]));
        if (taken.length === 0) return;
        const done = `UPDATE by_hand SET status = 'completed' WHERE id = ANY($1) AND status = 'started'`;
        await using(pool, (client) => client.query(done, [taken]));
      },
    pawl: (pool: Pool): Contender =>
      delivering(
        eachMessage<{ id: string }>({ ...options(pool), onAbandoned: 'park', concurrency: 100 }, async () => undefined),
      ),
  },
  'one transaction with the effect': {
    byHand:
      (pool: Pool): Contender =>
      async (keys) => {
        await Promise.all(keys.map((key) => using(pool, (client) => inTransaction(client, key))));
      },
    pawl: (pool: Pool): Contender =>
      delivering(
        eachTransaction<{ id: string }, PoolClient>({ ...options(pool), concurrency: 100 }, ({ body }, tx) =>
          tx.query(insertEntry, [body.id]),
        ),
      ),
  },
} as const;

async function inTransaction(client: PoolClient, key: string): Promise<void> {
  await client.query('BEGIN');
  const { rows } = await client.query(claimByHand, [[key], 'completed', 0]);
  if (rows.length === 0) return void (await client.query('ROLLBACK'));
  await client.query(insertEntry, [key]);
  await client.query('COMMIT');
}

async function using<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

function options(pool: Pool) {
  const key = ({ body }: { readonly body: { readonly id: string } }) => body.id;
  return { operation: 'bench', store: postgresStore({ pool }), key, aws: noQueue, onEvent: () => undefined };
}

function delivering(handler: SqsHandler): Contender {
  return async (keys) => {
    await handler(sqsEvent(...keys.map((id) => sqsRecord({ id }))), context(60_000));
  };
}
