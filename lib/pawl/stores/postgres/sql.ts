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
  /** `COMMIT`, or `ROLLBACK` where PostgreSQL made one of a commit. */
  readonly command?: string;
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
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  connect(): Promise<Client>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** The connections of a pool, as its own types have them: `PoolClient` of `pg`. */
export type ClientOf<Pool> = Pool extends {
  connect: { (): Promise<infer Client>; (...args: never[]): unknown };
}
  ? Client
  : PostgresClient;

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

/** A connection that pawl has for itself. */
export interface Connection<Client> {
  readonly client: Client;
  /** Runs one statement of pawl's. @throws what the driver throws; NoAnswerError after 3 seconds */
  run(text: string, values?: readonly unknown[]): Promise<PostgresRows>;
}

/**
 * Uses one connection. It goes back into the pool if what used it returned, or if the server has refused a statement and goes on.
 *
 * @throws what `use` throws; what the pool throws, after which nothing was sent
 */
export async function withConnection<Client extends PostgresClient, T>(
  pool: PostgresPool<Client>,
  host: Pick<Host, 'now' | 'after'>,
  use: (connection: Connection<Client>) => Promise<T>,
): Promise<T> {
  const inTime = <R>(request: Promise<R>, late?: (result: R) => void) =>
    answeredBy(host, host.now() + requestMs, request, late && { late });
  const client = await inTime(pool.connect(), (unused) => unused.release());
  client.on?.('error', unheard);
  let isBroken = true;
  try {
    const result = await use({ client, run: (text, values) => inTime(client.query(text, values && [...values])) });
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = endsConnection(error);
    throw error;
  } finally {
    client.release(isBroken);
    client.removeListener?.('error', unheard);
  }
}
