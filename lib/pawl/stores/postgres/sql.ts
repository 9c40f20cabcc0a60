import type { Host } from '../../kernel/host.ts';
import { answeredBy } from '../../kernel/request.ts';
import { endsConnection } from './errors.ts';

/**
 * The way to PostgreSQL: what pawl uses of a pool and of its connections. The types are no import of `pg`, so that any pool of this shape fits.
 *
 * 1. A connection is used for one statement, or for one transaction. Nothing of a session is set, no statement is prepared by name, and no lock outlives its
 *    transaction: behind a proxy, the next statement has another session.
 * 2. A connection that may be broken never goes back into its pool.
 */

/** What a statement returned. */
export interface PostgresRows {
  readonly rows: readonly object[];
}

/** One connection of a pool: `PoolClient` of `pg` fits. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresRows>;
  /** Gives the connection back; `true`: it is closed instead. */
  release(destroy?: boolean): void;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * A pool of connections: `new Pool()` of `pg` fits. It leads to the primary: a standby that lags behind would say of a claim that it is not there.
 *
 * @example
 * import { Pool } from 'pg';
 *
 * const pool: PostgresPool = new Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
 */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** A server that does not respond keeps a request no longer than that. In milliseconds. */
const requestMs = 3000;

/** Without a listener, Node ends the process for a connection that dies while no statement runs on it. The statement after it says so. */
const unheard = (): void => {};

const heard = new WeakSet<PostgresPool>();

/** A connection that dies in the pool, as in a sandbox that was frozen, is an event of the pool. */
export function listenOnce(pool: PostgresPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.('error', unheard);
}

/**
 * Runs one statement on a connection of its own.
 *
 * @throws what the server, the driver or the pool throws; NoAnswerError after 3 seconds. After any error that is not the server's, the statement may have
 *   been applied
 */
export async function ask(
  pool: PostgresPool,
  host: Pick<Host, 'now' | 'after'>,
  text: string,
  values: readonly unknown[],
): Promise<readonly object[]> {
  const until = host.now() + requestMs;
  const client = await answeredBy(host, until, pool.connect(), { late: (unused) => unused.release() });
  client.on?.('error', unheard);
  let isBroken = true;
  try {
    const { rows } = await answeredBy(host, until, client.query(text, [...values]));
    isBroken = false;
    return rows;
  } catch (error) {
    isBroken = endsConnection(error);
    throw error;
  } finally {
    client.release(isBroken);
    client.removeListener?.('error', unheard);
  }
}
