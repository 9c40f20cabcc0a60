/*
 * What the functions of the app get in place of `pawl/postgres` in `npm start -- --store postgres --split-commit`: the mistake of `split-commit.ts`. The
 * entries of a payment are committed with its claim, and its messages after that, in a transaction of their own.
 */

import { AsyncResource } from 'node:async_hooks';
import { type eachTransaction as asWritten, commit } from 'pawl/postgres';
import { eachMessage } from 'pawl/sqs';
import type { PoolClient } from 'pg';
import { pool } from '../../lambda/postgres/database.ts';
import { outbox } from '../../lambda/postgres/outbox.ts';

export * from 'pawl/postgres';

type Messages = Parameters<typeof outbox.insert>[1];

/** Commits the data, and then the messages. */
export function eachTransaction<Body, Tx extends PoolClient>(
  options: Parameters<typeof asWritten<Body, Tx>>[0],
  work: (message: { readonly body: Body }, tx: Tx) => Promise<Messages>,
) {
  return eachMessage<Body>({ ...options, onAbandoned: 'retry' }, async (message, claim) => {
    let messages: Messages = [];
    // Of a message that is made in its function and not returned, `commit` says so, and commits nothing: it is not to see this one.
    const unnoticed = AsyncResource.bind((tx: Tx) => work(message, tx));
    await commit(claim, async (tx: Tx) => {
      messages = await unnoticed(tx);
    });
    const connection = await pool.connect();
    try {
      await connection.query('BEGIN');
      const { sendNow } = await outbox.insert(connection, messages);
      await connection.query('COMMIT');
      await sendNow(claim.remainingMs());
    } finally {
      connection.release(true);
    }
  });
}
