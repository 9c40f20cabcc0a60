import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { SetupError, type WriteResult } from '../../../lib/pawl/index.ts';
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

  it('is left as it is by a migration that runs again, and has the checksum of its part as its comment', async () => {
    const { sql } = postgresMigration({ table });
    const store = postgresStore(options);
    const kept = record({ id: 'kept#1' });
    await store.write({ next: kept, seen: undefined });
    await pool.query(sql);
    const { rows } = await pool.query(`SELECT obj_description('${table}'::regclass) AS said`);
    expect(rows).toEqual([{ said: expect.stringMatching(/^pawl [0-9a-f]{64}$/) }]);
    expect(sql).toContain(`COMMENT ON TABLE "${table}" IS '${rows[0]?.said}'`);
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

  describe('locks rows in the order of their ids, those that are there before those that are new', () => {
    // The plans of a large table, whose rows are met in any order. A deadlock is not resolved: it is to be seen.
    const flags = ['enable_hashjoin=off', 'enable_mergejoin=off', 'enable_seqscan=off', 'deadlock_timeout=1h'];
    const settings = { connectionString, options: flags.map((flag) => `-c ${flag}`).join(' ') };
    const [pool1, pool2] = [new Pool(settings), new Pool(settings)];
    afterAll(() => Promise.all([pool1.end(), pool2.end()]));
    const names = 'bcdefghijklmnopqrstuvwxyz'.split('').toReversed();
    const first = (id: string) => ({ seen: undefined, next: record({ id }) });
    const over = (id: string) => ({ seen: record({ id }), next: { ...record({ id }), rev: 2 } });
    const lock = `SELECT FROM ${table} WHERE id = $1 FOR UPDATE`;
    const insert = `INSERT INTO ${table} (id, rev, record) VALUES ($1, 9, '{}')`;

    it.each([
      {
        what: 'all are there',
        there: ['a', ...names],
        takesA: lock,
        takesOthers: lock,
        writeA: over,
        writeOther: over,
      },
      { what: 'all are new', there: [], takesA: insert, takesOthers: insert, writeA: first, writeOther: first },
      { what: 'one is there', there: ['a'], takesA: lock, takesOthers: insert, writeA: over, writeOther: first },
    ])('$what', async ({ what, there, takesA, takesOthers, writeA, writeOther }) => {
      const idOf = (name: string) => `${what}#${name}`;
      const store = postgresStore({ pool: pool1, table });
      await Promise.all(there.map((name) => store.write(first(idOf(name)))));
      const other = await pool2.connect();
      let batch: Promise<readonly WriteResult[]>;
      try {
        await other.query('BEGIN');
        // What the other transaction has, the batch meets first, and it waits there with nothing that the other one needs.
        await other.query(takesA, [idOf('a')]);
        batch = Promise.all([...names.map((name) => writeOther(idOf(name))), writeA(idOf('a'))].map(store.write));
        await expect.poll(waiting).toBe(1);
        await other.query(`SET LOCAL lock_timeout = '2s'`);
        for (const name of names) await other.query(takesOthers, [idOf(name)]);
        await other.query('ROLLBACK');
      } finally {
        other.release(true);
      }
      expect((await batch).every(({ applied }) => applied)).toBe(true);
    });
  });

  it('leaves a server that is a standby by now, and writes on the next connection', async () => {
    const one = new Pool({ connectionString, max: 1 });
    await one.query('SET default_transaction_read_only = on');
    const id = `standby#${randomUUID()}`;
    const write = { next: record({ id }), seen: undefined };
    expect(await postgresStore({ pool: one, table }).write(write)).toEqual({ applied: true });
    await one.end();
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
    await expect.poll(waiting).toBe(1);
    await pool.query(`${end} ${whoWaits}`);
    await other.query('COMMIT');
    other.release();
    expect(await written).toEqual({ applied: true });
  });
});

const whoWaits = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`;

/** How many statements over the table wait for a lock. */
async function waiting(): Promise<number | null> {
  return (await pool.query(`SELECT ${whoWaits}`)).rowCount;
}
