import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { SetupError } from '../../../lib/pawl/index.ts';
import {
  deleteExpired,
  postgresLockStore,
  postgresMigration,
  postgresStore,
} from '../../../lib/pawl/postgres/index.ts';
import { record } from '../../support/records.ts';

const connectionString = inject('postgresUrl');
const pool = new Pool({ connectionString });
const table = `claims_${randomUUID().replaceAll('-', '')}`;
const options = { pool, table };

describe.skipIf(connectionString === '')('a table in PostgreSQL', () => {
  beforeAll(async () => {
    await pool.query(postgresMigration({ table }).sql);
  });
  afterAll(() => pool.end());

  it('is left as it is by a migration that runs again, and has its checksum as its comment', async () => {
    const { sql, checksum } = postgresMigration({ table });
    const store = postgresStore(options);
    const kept = record({ id: 'kept#1' });
    await store.write({ next: kept, seen: undefined });
    await pool.query(sql);
    const { rows } = await pool.query(`SELECT obj_description('${table}'::regclass) AS said`);
    expect(rows).toEqual([{ said: `pawl ${checksum}` }]);
    expect(await store.read('kept#1')).toEqual(kept);
  });

  it('loses by retention only what has been over for an hour, and waits for no transaction', async () => {
    const store = postgresStore(options);
    const now = nodeHost.now() / 1000;
    const ages = { over: now - 4000, locked: now - 4000, 'within the hour': now - 3000, 'kept for ever': undefined };
    for (const [key, expiresAt] of Object.entries(ages)) {
      await store.write({ next: record({ id: `old#${key}`, expiresAt }), seen: undefined });
    }
    const worker = await pool.connect();
    await worker.query('BEGIN');
    await worker.query(`SELECT FROM ${table} WHERE id = 'old#locked' FOR UPDATE`);
    expect(await deleteExpired(options)).toBe(1);
    await worker.query('COMMIT');
    worker.release();
    expect(await deleteExpired(options)).toBe(1);
    expect(await deleteExpired(options)).toBe(0);
    const left = await Promise.all(
      Object.keys(ages).map(async (key) => (await store.read(`old#${key}`)) !== undefined),
    );
    expect(left).toEqual([false, false, true, true]);
  });

  it('that is missing, or that the role may not use, is said to be, with what to do', async () => {
    const missing = { pool, table: 'not_there' };
    const said = /the table 'not_there' is not there.*Apply the migration/;
    await expect(postgresStore(missing).read('a#1')).rejects.toThrow(said);
    await expect(postgresLockStore(missing).read(['#lock#1'])).rejects.toThrow(said);
    await pool.query(`CREATE ROLE stranger LOGIN`);
    const strangers = new Pool({ connectionString: connectionString.replace('pawl@', 'stranger@') });
    const denied = postgresStore({ pool: strangers, table }).write({ next: record({ id: 'b#1' }), seen: undefined });
    await expect(denied).rejects.toThrow(SetupError);
    await expect(denied).rejects.toThrow(/may not use the table.*Grant it SELECT, INSERT and UPDATE/);
    await strangers.end();
  });

  it('serves many first claims and outcomes at once with few statements', async () => {
    let statements = 0;
    const counted = {
      async connect() {
        const client = await pool.connect();
        return {
          query(text: string, values?: unknown[]) {
            statements++;
            return client.query(text, values);
          },
          release: (destroy?: boolean) => client.release(destroy),
        };
      },
    };
    const store = postgresStore({ pool: counted, table });
    const firsts = Array.from({ length: 100 }, (_, n) => record({ id: `many#${n}` }));
    await Promise.all(firsts.map((next) => store.write({ next, seen: undefined })));
    expect(statements).toBe(1);
    const outcomes = firsts.map((seen) => ({
      seen,
      next: { ...seen, status: 'completed' as const, rev: seen.rev + 1 },
    }));
    const late = { ...record({ id: 'many#100' }), claimId: 'other' };
    const results = await Promise.all(
      [...outcomes, { seen: undefined, next: late }].map((write) => store.write(write)),
    );
    expect(results.every(({ applied }) => applied)).toBe(true);
    // One hundred writes a statement.
    expect(statements).toBe(3);
  });

  it('lets batches that write the same records in opposite orders through, without a deadlock', async () => {
    const stores = [postgresStore(options), postgresStore(options)] as const;
    const ids = Array.from({ length: 60 }, (_, n) => `crossed#${String(n).padStart(2, '0')}`);
    let seen = ids.map((id) => record({ id }));
    await Promise.all(seen.map((next) => stores[0].write({ next, seen: undefined })));
    const before = await deadlocks();
    for (let round = 0; round < 20; round++) {
      const fresh = Array.from({ length: 30 }, (_, n) =>
        record({ id: `crossed-${round}#${String(n).padStart(2, '0')}` }),
      );
      const writesOf = (claimId: string) => [
        ...seen.map((one) => ({ seen: one, next: { ...one, claimId, rev: one.rev + 1 } })),
        ...fresh.map((one) => ({ seen: undefined, next: { ...one, claimId } })),
      ];
      const [one, other] = await Promise.all([
        Promise.all(writesOf('one').map((write) => stores[0].write(write))),
        Promise.all(
          writesOf('other')
            .toReversed()
            .map((write) => stores[1].write(write)),
        ),
      ]);
      const applied = (results: readonly { readonly applied: boolean }[]) => results.filter((each) => each.applied);
      expect(applied(one).length + applied(other).length).toBe(90);
      seen = await Promise.all(ids.map(async (id) => (await stores[0].read(id)) ?? record({ id })));
    }
    expect(await deadlocks()).toBe(before);
  });

  it.each([
    ['ends at once', 'SELECT pg_terminate_backend(pid)'],
    ['is asked by another to end its statement', 'SELECT pg_cancel_backend(pid)'],
  ])('a connection that %s: the writes that waited are made all the same', async (_, end) => {
    const store = postgresStore(options);
    const id = `ended#${randomUUID()}`;
    const seen = record({ id });
    await store.write({ next: seen, seen: undefined });
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
    const written = store.write({ next: { ...seen, rev: seen.rev + 1 }, seen });
    const waiting = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`;
    await expect.poll(async () => (await pool.query(`SELECT ${waiting}`)).rowCount).toBe(1);
    await pool.query(`${end} ${waiting}`);
    await other.query('COMMIT');
    other.release();
    expect(await written).toEqual({ applied: true });
  });
});

async function deadlocks(): Promise<number> {
  const { rows } = await pool.query('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
  return rows[0].deadlocks;
}
