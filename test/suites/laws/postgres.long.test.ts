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

function poolsOf(url: string) {
  const [pool, elsewhere] = [1, 2].map(() => new Pool({ connectionString: url, max: 10 })) as [Pool, Pool];
  pools.push(pool, elsewhere);
  return { pool, elsewhere };
}

type Open = () => Promise<ReturnType<typeof poolsOf>>;

/** A server that is started once, for all laws over it. */
function started(start: () => Promise<AsyncDisposable & { readonly url: string }>): Open {
  let opened: ReturnType<Open> | undefined;
  return () => {
    opened ??= start().then((server) => poolsOf(servers.use(server).url));
    return opened;
  };
}

/** Those of claims and locks, and those of an outbox. */
function allLaws(name: string, open: Open, runs: number): void {
  lawsOverPostgres(name, open, runs);
  outboxLaws(name, async () => outboxTableOf(await open()), runs);
}

describe.skipIf(programs === undefined)('on a server', () => {
  allLaws('PostgreSQL', async () => poolsOf(connectionString), 50);
  // Transactions that are undone in place of waiting: a database may be set up so. The outbox's laws are about waiting.
  const strict = ['default_transaction_isolation=serializable'];
  lawsOverPostgres(
    'PostgreSQL, serializable',
    started(() => startPostgres(programs ?? '', strict)),
    10,
  );
});

// Ubuntu's or Debian's packages, which CI installs.
describe.skipIf(programs === undefined || !hasPgBouncer())('through PgBouncer in transaction mode', () => {
  allLaws(
    'PgBouncer',
    started(() => startPgBouncer(connectionString)),
    10,
  );
});

describe.each(debianPrograms())('on version %s of Debian', (version, of) => {
  allLaws(
    `PostgreSQL ${version}`,
    started(() => startPostgres(of, [])),
    10,
  );
});
