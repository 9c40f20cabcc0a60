/**
 * What a consumer has of PostgreSQL without pawl, under pawl's names: each message is a transaction of its own, as often as it arrives.
 */

import type { Pool, PoolClient } from 'pg';
import { eachMessage, isNext, send } from './unprotected.ts';

interface Over {
  readonly pool: Pool;
}

/** The pool of the process: it has one. */
let pool: Pool | undefined;

export function postgresStore(over: Over) {
  pool = over.pool;
  return {};
}

export function postgresLockStore(_: Over) {
  return {};
}

async function transaction<T>(work: (tx: PoolClient) => T | Promise<T>): Promise<T> {
  const tx = await pool?.connect();
  if (tx === undefined) throw new Error('there is no pool yet');
  try {
    await tx.query('BEGIN');
    const result = await work(tx);
    await tx.query('COMMIT');
    return result;
  } finally {
    // Whatever state it is in.
    tx.release(true);
  }
}

/** Commits each message as often as it arrives, and then sends what follows from it. */
export function eachTransaction(
  options: Parameters<typeof eachMessage>[0],
  work: (message: { body: unknown }, tx: PoolClient) => Promise<readonly object[]>,
) {
  return eachMessage(options, async (message) => {
    const followers = await transaction((tx) => work(message as { body: unknown }, tx));
    await Promise.all(followers.filter(isNext).map(send));
  });
}

export function commitStep(_: object, __: string, work: (tx: PoolClient) => unknown): Promise<unknown> {
  return transaction(work);
}
