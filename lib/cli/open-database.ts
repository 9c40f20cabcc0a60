import type { LockStore, OperatesLocks } from 'pawl/locks';
import { type PostgresStore, postgresLockStore, postgresStore, readAllRecords } from 'pawl/postgres';
import type { Pool, PoolClient } from 'pg';
import { UsageError } from './command.ts';

/** Claims and locks in a PostgreSQL database. */
export interface OpenDatabase {
  readonly tableName: string;
  readonly pool: Pool;
  readonly store: PostgresStore<PoolClient>;
  readonly lockStore: LockStore & OperatesLocks;
  /** Every record of the table. */
  records(): AsyncIterable<object>;
  close(): void;
}

/** The table that pawl's migration makes when nobody names another one. */
const usualTable = 'pawl_claims';

/** Opens the database of `--database`. @throws UsageError for what is no URL of one */
export async function openDatabase(url: string, table = usualTable): Promise<OpenDatabase> {
  const { pool, close } = await openPool(url);
  const of = { pool, table };
  return {
    tableName: table,
    pool,
    store: postgresStore<Pool>(of),
    lockStore: postgresLockStore(of),
    records: () => readAllRecords(of),
    close,
  };
}

/** A pool for the database of `--database`. The driver is loaded here, and for no other command. @throws UsageError for what is no URL of one */
export async function openPool(url: string): Promise<Pick<OpenDatabase, 'pool' | 'close'>> {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    // What was given may be a password.
    throw new UsageError(
      '--database: expected a URL such as postgres://operator@host/shop. The password may be in PGPASSWORD.',
    );
  }
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000 });
  return { pool, close: () => void pool.end().catch(() => undefined) };
}
