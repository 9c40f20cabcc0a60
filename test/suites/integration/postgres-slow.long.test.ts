import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { once } from '../../../lib/pawl/index.ts';
import { resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { commit, postgresLockStore, postgresStore } from '../../../lib/pawl/postgres/index.ts';
import { createDatabase, type Database } from '../../support/postgres-database.ts';
import { record } from '../../support/records.ts';

const server = inject('postgresUrl');
const quiet = () => undefined;

describe.skipIf(server === '')('over PostgreSQL', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createDatabase(server);
    await database.pool.query('CREATE TABLE debts (id int PRIMARY KEY, times int NOT NULL DEFAULT 0)');
    await database.pool.query('INSERT INTO debts SELECT generate_series(1, 4000)');
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it('a transaction that takes longer than a request is waited for, and is not begun beside itself', async () => {
    let runs = 0;
    const options = { operation: 'slow', store: postgresStore({ pool: database.pool }), onEvent: quiet };
    const slow = once({ ...options, key: (id: string) => id, onAbandoned: 'park' }, (id, claim) =>
      commit(claim, async (tx: PoolClient) => {
        runs++;
        await tx.query('INSERT INTO debts (id) VALUES ($1)', [id]);
        await sleep(12_000);
      }),
    );
    await slow('5000').catch(quiet);
    expect(runs).toBe(1);
    expect(await options.store.read('slow#5000')).toMatchObject({ status: 'completed' });
  });

  it('a transaction that has a claim for long keeps no other claim waiting', async () => {
    const store = postgresStore({ pool: database.pool });
    const [slow, ...others] = Array.from({ length: 20 }, (_, n) => record({ id: `beside#${n}` }));
    await Promise.all([slow, ...others].map((next) => next && store.write({ next, seen: undefined })));
    const worker = await database.pool.connect();
    await worker.query('BEGIN');
    await worker.query(`SELECT FROM pawl_claims WHERE id = 'beside#0' FOR UPDATE`);
    const completed = (one: ReturnType<typeof record>) =>
      store.write({ next: { ...one, status: 'completed', rev: one.rev + 1 }, seen: one });
    const blocked = slow && completed(slow);
    blocked?.catch(quiet);
    // They share a statement with the one that waits.
    expect(await Promise.all(others.map(completed))).toEqual(others.map(() => ({ applied: true })));
    await worker.query('COMMIT');
    worker.release();
    await blocked;
    expect(await store.read('beside#0')).toMatchObject({ status: 'completed', rev: 2 });
  });

  /** Repays debts as one transaction, in chunks. */
  async function repay(debts: readonly number[]): Promise<void> {
    const client = await database.pool.connect();
    try {
      await client.query('BEGIN');
      for (let from = 0; from < debts.length; from += 100) {
        await client.query('UPDATE debts SET times = times + 1 WHERE id = ANY($1)', [debts.slice(from, from + 100)]);
      }
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  const first = Array.from({ length: 3000 }, (_, n) => n + 1);
  const second = Array.from({ length: 3000 }, (_, n) => 4000 - n);

  it('two requests over 3,000 debts that overlap deadlock without pawl', async () => {
    const codes: unknown[] = [];
    for (let tries = 0; tries < 20 && codes.length === 0; tries++) {
      const both = await Promise.allSettled([repay(first), repay(second)]);
      codes.push(...both.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : [])));
    }
    expect(codes).toEqual(['40P01']);
  });

  it('and with a lock over them, they exclude each other, and both are done once', async () => {
    await database.pool.query('UPDATE debts SET times = 0');
    const locks = [1, 2].map(() =>
      resourceLocks({
        store: postgresLockStore({ pool: new Pool({ connectionString: database.url, allowExitOnIdle: true }) }),
      }),
    );
    const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;
    const refused: unknown[] = [];
    const request = async (holder: string, debts: readonly number[], index: number) => {
      for (;;) {
        const lock = locks[index]?.withLock(
          debts.map((id) => ['debt', id]),
          { holder, reason: 'repay', unlock },
          () => repay(debts),
        );
        const failed = await lock?.then(quiet, (error: unknown) => error);
        if (failed === undefined) return;
        refused.push(failed);
        await sleep(50);
      }
    };
    await Promise.all([request('one', first, 0), request('two', second, 1)]);
    const { rows } = await database.pool.query(
      'SELECT times, count(*)::int AS debts FROM debts WHERE id <= 4000 GROUP BY times ORDER BY times',
    );
    expect(rows).toEqual([
      { times: 1, debts: 2000 },
      { times: 2, debts: 2000 },
    ]);
    expect(refused.map((error) => Reflect.get(Object(error), 'name'))).toEqual(refused.map(() => 'ResourcesBusyError'));
    expect(refused.length).toBeGreaterThan(0);
  });
});
