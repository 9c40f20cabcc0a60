import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { postgresMigration } from '../../lib/pawl/postgres/index.ts';

/** A database of a test's own on the server that tests share, with the table of the migration. */
export interface Database extends AsyncDisposable {
  readonly url: string;
  readonly pool: Pool;
}

export async function createDatabase(serverUrl: string): Promise<Database> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = new Pool({ connectionString: serverUrl, max: 1 });
  await server.query(`CREATE DATABASE ${name}`);
  await server.end();
  const url = serverUrl.replace(/[^/]+$/, name);
  const pool = new Pool({ connectionString: url });
  await pool.query(postgresMigration().sql);
  return { url, pool, [Symbol.asyncDispose]: () => pool.end() };
}
