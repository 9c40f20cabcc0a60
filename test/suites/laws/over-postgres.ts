import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import {
  type PostgresPool,
  postgresLockStore,
  postgresMigration,
  postgresStore,
} from '../../../lib/pawl/postgres/index.ts';
import { claimStoreLaws, lockStoreLaws } from '../../../lib/testing/index.ts';
import { inCompany } from '../../support/in-company.ts';
import { lawTest } from '../../support/law-test.ts';
import { losingResponses } from '../../support/lost-commits.ts';

/** The pools of one database. */
interface Database {
  readonly pool: PostgresPool;
  /** As another process has it. */
  readonly elsewhere: PostgresPool;
}

/**
 * Registers all laws of claims and of locks over a table of its own.
 *
 * @param runs how many random writes and histories are tried, and ten times as many races
 */
export function lawsOverPostgres(name: string, open: () => Promise<Database>, runs: number): void {
  const table = `claims_${randomUUID().replaceAll('-', '')}`;
  let database: Database;
  beforeAll(async () => {
    database = await open();
    const client = await database.pool.connect();
    for (const statement of postgresMigration({ table }).sql.split(/;$/m)) await client.query(statement);
    client.release();
  });
  const of = (pool: PostgresPool) => ({ pool, table });

  for (const alone of [true, false]) {
    const make = (options: ReturnType<typeof of>) =>
      alone ? postgresStore(options) : inCompany(postgresStore(options));
    claimStoreLaws({
      test: lawTest,
      name: `postgresStore${alone ? '' : ', always in a batch,'} on ${name}`,
      open: () => make(of(database.pool)),
      openElsewhere: () => make(of(database.elsewhere)),
      openLosingResponses() {
        const { pool, lost } = losingResponses(database.pool);
        return { store: make(of(pool)), lost };
      },
      mayMeetItself: true,
      listsOpenClaims: true,
      keepsNotes: alone,
      races: 10 * runs,
      runs,
    });
  }
  lockStoreLaws({
    test: lawTest,
    name: `postgresLockStore on ${name}`,
    mayMeetItself: true,
    open: () => postgresLockStore(of(database.pool)),
    openElsewhere: () => postgresLockStore(of(database.elsewhere)),
    openLosingResponses() {
      const { pool, lost } = losingResponses(database.pool);
      return { store: postgresLockStore(of(pool)), lost };
    },
  });
}
