import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Locks } from '../../../lib/pawl/locks/index.ts';
import { postgresMigration } from '../../../lib/pawl/postgres/index.ts';
import type { SqsHandler } from '../../../lib/pawl/sqs/index.ts';
import { exampleOf } from '../../docs/run-example.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { createDatabase, type Database } from '../../support/postgres-database.ts';
import { record } from '../../support/records.ts';

const guide = 'docs/guides/postgres.md';
const server = inject('postgresUrl');

describe.skipIf(server === '')('the guide of PostgreSQL, as it is printed', () => {
  let database: Database;
  const pools: Pool[] = [];
  beforeAll(async () => {
    database = await createDatabase(server);
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database[Symbol.asyncDispose]();
  });

  /** `Pool` of the examples, which leads to the database of this test. */
  function PoolHere(options: object): Pool {
    const pool = new Pool({ ...options, connectionString: database.url });
    pools.push(pool);
    return pool;
  }

  it('prints the migration', async () => {
    const said: string[] = [];
    const stdout = { write: (text: string) => said.push(text) };
    await (await exampleOf(guide, 'postgresMigration'))({ process: { stdout } });
    expect(said).toEqual([postgresMigration().sql]);
  });

  it('sends an order that comes twice once', async () => {
    const mails: unknown[] = [];
    const mailer = { send: async (...mail: unknown[]) => mails.push(mail) };
    const run = await exampleOf(guide, "operation: 'send-email'");
    const { handler } = (await run({ Pool: PoolHere, mailer })) as { readonly handler: SqsHandler };
    const order = { id: 'order-1', email: 'a@example.com' };
    const response = await handler(sqsEvent(sqsRecord(order), sqsRecord(order)), context());
    await handler(sqsEvent(sqsRecord(order)), context());
    expect(failuresOf(response)).toEqual([]);
    expect(mails).toEqual([['a@example.com', { idempotencyKey: 'send-email#order-1' }]]);
  });

  it('locks', async () => {
    const run = await exampleOf(guide, 'const locks =');
    const { locks } = (await run({ Pool: PoolHere })) as { readonly locks: Locks };
    const lock = await locks.tryLockAll(['debt 1', 'debt 2'], { holder: 'request-1' });
    expect(lock.outcome).toBe('locked');
    expect(await locks.tryLockAll(['debt 2', 'debt 3'], { holder: 'request-2' })).toMatchObject({ outcome: 'busy' });
  });

  it('deletes what is over', async () => {
    const { id } = record({ id: 'old#1' });
    await database.pool.query(`INSERT INTO pawl_claims (id, rev, expires_at, record) VALUES ($1, 1, 1, '{}')`, [id]);
    const run = await exampleOf(guide, 'deleteExpired');
    const { handler } = (await run({ Pool: PoolHere })) as { readonly handler: () => Promise<void> };
    await handler();
    const { rowCount } = await database.pool.query('SELECT FROM pawl_claims WHERE id = $1', [id]);
    expect(rowCount).toBe(0);
  });
});
