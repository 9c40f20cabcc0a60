import { Pool } from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { debianPrograms, postgresPrograms, startPostgres } from '../../../shop/postgres/server.ts';
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { outboxLaws, outboxTableOf } from './outbox-postgres.ts';
import { lawsOverPostgres } from './over-postgres.ts';

const connectionString = inject('postgresUrl');
const programs = postgresPrograms();

const servers = new AsyncDisposableStack();
const pools: Pool[] = [];
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await servers.disposeAsync();
});

function twoPools(url: string) {
  const both = [1, 2].map(() => new Pool({ connectionString: url, max: 10 })) as [Pool, Pool];
  pools.push(...both);
  return both;
}

function poolsOf(url: string) {
  const [pool, elsewhere] = twoPools(url);
  return { pool, elsewhere };
}

const started =
  (of: string, settings: readonly string[] = []) =>
  async () =>
    poolsOf(servers.use(await startPostgres(of, settings)).url);

describe.skipIf(programs === undefined)('on a server', () => {
  lawsOverPostgres('PostgreSQL', async () => poolsOf(connectionString), 50);
  outboxLaws('PostgreSQL', async () => outboxTableOf(...twoPools(connectionString)), 50);
  // Transactions that are undone in place of waiting: a database may be set up so.
  const strict = ['default_transaction_isolation=serializable'];
  lawsOverPostgres('PostgreSQL, serializable', started(programs ?? '', strict), 10);
});

// Ubuntu's or Debian's packages, which CI installs.
describe.skipIf(programs === undefined || !hasPgBouncer())('through PgBouncer in transaction mode', () => {
  lawsOverPostgres('PgBouncer', async () => poolsOf(servers.use(await startPgBouncer(connectionString)).url), 10);
  const bounced = async () => twoPools(servers.use(await startPgBouncer(connectionString)).url);
  outboxLaws('PgBouncer', async () => outboxTableOf(...(await bounced())), 10);
});

describe.each(debianPrograms())('on version %s of Debian', (version, of) => {
  lawsOverPostgres(`PostgreSQL ${version}`, started(of), 10);
  const server = async () => twoPools(servers.use(await startPostgres(of, [])).url);
  outboxLaws(`PostgreSQL ${version}`, async () => outboxTableOf(...(await server())), 10);
});
