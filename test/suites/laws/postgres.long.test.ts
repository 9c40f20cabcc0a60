import { Pool } from 'pg';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts';
import { lawsOverPostgres } from './over-postgres.ts';

const connectionString = inject('postgresUrl');
const programs = postgresPrograms() ?? '';

/** Transactions that would be undone in place of waiting: a pool may be set up so. */
let strict: PostgresServer;
const pools: Pool[] = [];
const open = (url: string) => async () => {
  const [pool, elsewhere] = [1, 2].map(() => new Pool({ connectionString: url, max: 10 })) as [Pool, Pool];
  pools.push(pool, elsewhere);
  return { pool, elsewhere };
};
beforeAll(async () => {
  if (programs) strict = await startPostgres(programs, ['default_transaction_isolation=serializable']);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await strict?.[Symbol.asyncDispose]();
});

describe.skipIf(programs === '')('on a server', () => {
  lawsOverPostgres('PostgreSQL', open(connectionString), 50);
  lawsOverPostgres('PostgreSQL, serializable', () => open(strict.url)(), 10);
});
