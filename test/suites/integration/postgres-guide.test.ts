import type { Kysely } from 'kysely';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Locks } from '../../../lib/pawl/locks/index.ts';
import { type PostgresStore, postgresMigration, postgresStore } from '../../../lib/pawl/postgres/index.ts';
import type { SqsHandler } from '../../../lib/pawl/sqs/index.ts';
import { exampleOf } from '../../docs/run-example.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { applicationTables } from '../../support/postgres-adapters.ts';
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

  it('pays once, together with the claim, and rejects what the account does not hold', async () => {
    await database.pool.query(applicationTables);
    await database.pool.query(`INSERT INTO accounts VALUES ('a', 1000)`);
    const run = await exampleOf(guide, "operation: 'pay',");
    const { handler } = (await run({ Pool: PoolHere, lean: () => noQueue })) as { readonly handler: SqsHandler };
    const payment = { id: 'payment-1', account: 'a', cents: 700 };
    const deliver = (one: object) => handler(sqsEvent(sqsRecord(one)), context());
    for (const one of [payment, payment, { ...payment, id: 'payment-2' }]) await deliver(one);
    const { rows } = await database.pool.query('SELECT cents FROM accounts');
    expect(rows).toEqual([{ cents: 300 }]);
    const store = postgresStore({ pool: database.pool });
    expect(await store.read('pay#payment-1')).toMatchObject({ status: 'completed' });
    expect(await store.read('pay#payment-2')).toMatchObject({ status: 'rejected' });
  });

  it('pays out in phases', async () => {
    await database.pool.query('CREATE TABLE payouts (id text PRIMARY KEY, status text, transfer text)');
    const store = postgresStore({ pool: database.pool });
    const transfers: string[] = [];
    const bank = {
      async transfer({ id }: { readonly id: string }) {
        transfers.push(id);
        return { id: `transfer-of-${id}` };
      },
    };
    const run = await exampleOf(guide, "operation: 'pay-out'");
    const { handler } = (await run({ store, bank, lean: () => noQueue })) as { readonly handler: SqsHandler };
    for (let times = 0; times < 2; times++) {
      expect(failuresOf(await handler(sqsEvent(sqsRecord({ id: 'p-1' })), context()))).toEqual([]);
    }
    const { rows } = await database.pool.query('SELECT * FROM payouts');
    expect(rows).toEqual([{ id: 'p-1', status: 'paid', transfer: 'transfer-of-p-1' }]);
    expect(transfers).toEqual(['p-1']);
  });

  it('has a transaction in the form of Drizzle and of Kysely', async () => {
    const stores = (await (
      await exampleOf(guide, 'drizzleStore')
    )({ pool: database.pool })) as {
      readonly drizzleStore: PostgresStore<{ execute(text: string): Promise<unknown> }>;
      readonly kyselyStore: PostgresStore<Kysely<{ readonly entries: { payment: string; cents: number } }>>;
    };
    const write = (id: string) => ({ next: record({ id }), seen: undefined });
    const insert = `INSERT INTO entries VALUES ('drizzle', 1)`;
    await stores.drizzleStore.transact(write('by#drizzle'), (tx) => tx.execute(insert), 1000);
    const entry = { payment: 'kysely', cents: 1 };
    await stores.kyselyStore.transact(
      write('by#kysely'),
      (tx) => tx.insertInto('entries').values(entry).execute(),
      1000,
    );
    const { rows } = await database.pool.query('SELECT payment FROM entries WHERE cents = 1 ORDER BY payment');
    expect(rows).toEqual([{ payment: 'drizzle' }, { payment: 'kysely' }]);
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
