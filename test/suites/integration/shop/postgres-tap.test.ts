import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { list, record } from '../../../../lib/rehearsal/engine/app/template.ts';
import type { TapAnswer, TapCall, TapVerdict } from '../../../../lib/rehearsal/engine/servers/tap.ts';
import { type PostgresTap, startPostgresTap } from '../../../../shop/postgres/tap.ts';
import { createDatabase, type Database } from '../../../support/postgres-database.ts';

const server = inject('postgresUrl');

/** What the proxy in front of PostgreSQL makes of a connection: by the driver itself, over a real server. */
describe.skipIf(server === '')('the tap in front of PostgreSQL', () => {
  let database: Database;
  let tap: PostgresTap;
  let pool: Pool;
  const seen: (readonly [when: string, operation: string, statements: readonly string[], answer: unknown])[] = [];
  let verdict: (when: string, operation: string) => TapVerdict = () => 'pass';

  beforeAll(async () => {
    database = await createDatabase(server);
    await database.pool.query('CREATE TABLE entries (payment text PRIMARY KEY)');
    tap = await startPostgresTap(Number(new URL(server).port));
    const look = (when: string, { operation, body }: TapCall, answer?: TapAnswer) => {
      const statements = list(JSON.parse(body)).map((one) => String(record(one)['text']));
      seen.push([when, operation, statements, answer && [answer.status, JSON.parse(answer.body)]]);
      return verdict(when, operation);
    };
    tap.up = {
      hooks: {
        onRequest: (call) => look('request', call),
        onResponse: (call, answer) => look('response', call, answer),
      },
      kill: () => undefined,
      serving: (answer) => answer,
    };
    const url = new URL(database.url);
    url.port = String(tap.port);
    pool = new Pool({ connectionString: url.href });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool?.end();
    await tap?.stop();
    await database?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    seen.length = 0;
    verdict = () => 'pass';
  });

  const enter = 'INSERT INTO entries (payment) VALUES ($1) RETURNING payment';

  /** A transaction of one entry. */
  async function commit(payment: string): Promise<unknown> {
    const client = await pool.connect();
    client.on('error', () => undefined);
    try {
      await client.query('BEGIN');
      await client.query(enter, [payment]);
      return await client.query('COMMIT');
    } finally {
      client.release(true);
    }
  }

  async function isEntered(payment: string): Promise<boolean> {
    const { rowCount } = await database.pool.query('SELECT FROM entries WHERE payment = $1', [payment]);
    return rowCount === 1;
  }

  it('a statement is a call, with its parameters and the first column of its rows', async () => {
    await pool.query(enter, ['alone']);
    expect(seen).toEqual([
      ['request', 'INSERT', [enter], undefined],
      ['response', 'INSERT', [enter], [200, [['alone']]]],
    ]);
  });

  it('a transaction is one call, at its COMMIT, with all of its statements and their rows', async () => {
    await commit('together');
    expect(seen.filter(([, operation]) => operation !== 'BEGIN;' && operation !== 'BEGIN')).toEqual([
      ['request', 'COMMIT', [enter], undefined],
      ['response', 'COMMIT', [enter], [200, [['together']]]],
    ]);
  });

  it('a COMMIT that does not get through commits nothing, and one whose response is lost has committed', async () => {
    verdict = (when, operation) => (when === 'request' && operation === 'COMMIT' ? 'drop' : 'pass');
    await expect(commit('unsent')).rejects.toThrow('Connection terminated');
    expect(await isEntered('unsent')).toBe(false);
    verdict = (when, operation) => (when === 'response' && operation === 'COMMIT' ? 'drop' : 'pass');
    await expect(commit('unknown')).rejects.toThrow('Connection terminated');
    expect(await isEntered('unknown')).toBe(true);
  });

  it('a COMMIT that PostgreSQL has made a ROLLBACK of has failed, and a ROLLBACK is no call', async () => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await expect(client.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
      await client.query('COMMIT');
      expect(seen.at(-1)).toEqual(['response', 'COMMIT', ['SELECT 1 / 0'], [500, [[]]]]);
      seen.length = 0;
      await client.query('BEGIN');
      await client.query(enter, ['undone']);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect(seen.map(([, operation]) => operation)).toEqual(['BEGIN', 'BEGIN']);
    expect(await isEntered('undone')).toBe(false);
  });
});
