import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPlanting } from '../../../proof/simulation/planting.ts';
import { simulatePostgres } from '../../../proof/simulation/postgres/simulate.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

// Handlers that are answered for early: the library says so, once in each cold start.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

describe('the simulation with PostgreSQL below it', () => {
  it('finds nothing wrong under 400 seeds, in which everything happens that it is about', async () => {
    const { failures, stats } = await runSeeds(simulatePostgres, from(1, 400));
    expect(failures).toEqual([]);
    const { events, lateActs: _, ...happened } = stats;
    for (const [what, times] of Object.entries(happened)) expect(times, what).toBeGreaterThan(20);
    for (const type of ['taken-over', 'reconciled', 'deferred', 'dead-lettered', 'stale-claim'] as const) {
      expect(events[type], type).toBeGreaterThan(5);
    }
  });

  it('does the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of from(1, 10)) {
      const { hash, steps } = await simulatePostgres(seed);
      expect(await simulatePostgres(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });
});

/** The breakages of the store in DynamoDB, and those that only a database of transactions can have. */
describe('the simulation with PostgreSQL finds', () => {
  const { plant, firstBroken, uproot } = createPlanting(
    async () => (await import('../../../proof/simulation/postgres/simulate.ts')).simulatePostgres,
  );
  afterEach(uproot);

  type Statements = typeof import('../../../lib/pawl/stores/postgres/statements.ts');
  type Claims = typeof import('../../../lib/pawl/stores/postgres/claims.ts');
  type Transact = typeof import('../../../lib/pawl/stores/postgres/transact.ts');
  const statements = '../../lib/pawl/stores/postgres/statements.ts';
  const claims = '../../lib/pawl/stores/postgres/claims.ts';
  const transaction = '../../lib/pawl/stores/postgres/transact.ts';

  /** Another text of the statement that writes. */
  function plantInWrite(change: (text: string) => string): void {
    plant<Statements>(statements, ({ statementsOf }) => ({
      statementsOf(table) {
        const all = statementsOf(table);
        const write = change(all.write);
        if (write === all.write) throw new Error('nothing was planted');
        return { ...all, write };
      },
    }));
  }

  it('a store whose statements ignore the owner and the revision', async () => {
    plantInWrite((text) => text.replace(/WHERE locked\.claim_id .*/, 'WHERE true'));
    expect(await firstBroken(200)).toBe(5);
  });

  it('a store that compares a row before it has locked it', async () => {
    plantInWrite((text) => text.replace('ORDER BY id FOR UPDATE', 'ORDER BY id'));
    expect(await firstBroken(2000)).toBe(4);
  });

  it('a first write that overwrites the row in its place', async () => {
    plantInWrite((text) =>
      text.replace('ON CONFLICT (id) DO NOTHING', 'ON CONFLICT (id) DO UPDATE SET record = excluded.record'),
    );
    expect(await firstBroken(200)).toBe(4);
  });

  it('a store that answers before its write has arrived', async () => {
    plant<Claims>(claims, ({ claimsIn }) => ({
      claimsIn(table) {
        const made = claimsIn(table);
        return {
          ...made,
          async write(write) {
            made.write(write).catch(() => {});
            return { applied: true };
          },
        };
      },
    }));
    expect(await firstBroken(50)).toBe(3);
  });

  it('a transaction that runs its statements for a worker whose claim is another one', async () => {
    plant<Transact>(transaction, ({ transact }) => ({
      // The write of the claim as it is; but whatever became of it, the statements are committed.
      transact(table, write, work, remainingMs) {
        const all = table.statements;
        const pool: typeof table.pool = {
          async connect() {
            const client = await table.pool.connect();
            return {
              release: (destroy) => client.release(destroy),
              async query(text, values) {
                const answer = await client.query(text, values);
                return text === all.write ? { ...answer, rows: [{ id: write.next.id }] } : answer;
              },
            };
          },
        };
        return transact({ ...table, pool }, write, work, remainingMs);
      },
    }));
    expect(await firstBroken(200)).toBe(1);
  });

  it('a plain read after a lost COMMIT', async () => {
    plant<Transact>(transaction, ({ transact }) => ({
      async transact(table, write, work, remainingMs) {
        try {
          return await transact(table, write, work, remainingMs);
        } catch {
          const [row] = await table.ask(table.statements.read, [[write.next.id]]);
          const found = row && JSON.parse(String(Reflect.get(row, 'record')));
          const isOurs = found?.claimId === write.next.claimId && found?.rev === write.next.rev;
          const refusal = new Error('the transaction was undone');
          return { kind: 'over', result: isOurs ? { applied: true } : { applied: false, refusal } };
        }
      },
    }));
    expect(await firstBroken(2000)).toBe(2);
  });
});
