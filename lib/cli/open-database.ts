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
  const { default: pg } = await import('pg');
  if (!/^postgres(ql)?:\/\//.test(url) || !canRead(pg, url)) {
    // What was given may be a password.
    throw new UsageError(
      '--database: expected a URL such as postgres://operator@host/shop. The password may be in PGPASSWORD.',
    );
  }
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000 });
  return { pool, close: () => void pool.end().catch(() => undefined) };
}

/** Whether the driver understands a URL. It would say no more than `Invalid URL` at the first statement. */
function canRead({ Client }: Pick<typeof import('pg'), 'Client'>, connectionString: string): boolean {
  try {
    new Client({ connectionString });
    return true;
  } catch {
    return false;
  }
}
