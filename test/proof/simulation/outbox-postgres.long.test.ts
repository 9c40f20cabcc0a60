import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OutboxSimulateOptions, simulateOutbox } from '../../../proof/simulation/outbox/simulate.ts';
import { createPlanting } from '../../../proof/simulation/planting.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);
const inPostgres = (seed: number, options: OutboxSimulateOptions) =>
  simulateOutbox(seed, { ...options, database: 'postgres' });

// The relay says so where a table cannot be read.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

describe('the simulation of the outbox in PostgreSQL', () => {
  it('finds nothing wrong under 500 seeds, in which everything happens that it is about', async () => {
    const { failures, stats } = await runSeeds(inPostgres, from(1, 500));
    expect(failures).toEqual([]);
    for (const [what, times] of Object.entries(stats)) expect(times, what).toBeGreaterThan(10);
    expect(stats.copies).toBeGreaterThan(stats.committed);
  });

  it('does the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of from(1, 10)) {
      const { hash, steps } = await inPostgres(seed, {});
      expect(await inPostgres(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });

  it('finds a message that is written outside of the transaction: it is lost where its worker dies between the two', async () => {
    const { failures } = await runSeeds(
      (seed, options) => inPostgres(seed, { ...options, planted: 'outside' }),
      from(1, 100),
    );
    expect(failures.length).toBeGreaterThan(10);
    expect(failures.flatMap(({ violations }) => violations.map(({ invariant }) => invariant))).toContain(7);
  });
});

/** Statements without one of their parts, and a question that is asked too early. */
describe('the simulation of the outbox in PostgreSQL finds', () => {
  const { plant, firstBroken, uproot } = createPlanting(async () => {
    const { simulateOutbox: simulate } = await import('../../../proof/simulation/outbox/simulate.ts');
    return (seed, options) => simulate(seed, { ...options, database: 'postgres' });
  });
  afterEach(uproot);

  type Statements = typeof import('../../../lib/pawl/outbox/postgres/statements.ts');
  type Retention = typeof import('../../../lib/pawl/stores/postgres/statements.ts');
  type Outbox = typeof import('../../../lib/pawl/outbox/postgres/outbox.ts');
  type Name = keyof ReturnType<Statements['statementsOf']>;

  const mustDiffer = (text: string, other: string) => {
    if (text === other) throw new Error('nothing was planted');
    return other;
  };

  function plantIn(name: Name, part: string | RegExp, other: string): void {
    plant<Statements>('../../lib/pawl/outbox/postgres/statements.ts', ({ statementsOf }) => ({
      statementsOf(table) {
        const all = statementsOf(table);
        return { ...all, [name]: mustDiffer(all[name], all[name].replace(part, other)) };
      },
    }));
  }

  it.each<
    [
      what: string,
      statement: Name,
      part: string | RegExp,
      other: string,
      invariant: number,
      within: number,
      first?: number,
    ]
  >([
    [
      'a counter that is counted on from what the statement saw when it began, and not from the newest row',
      'count',
      'counted = lane.counted +',
      'counted = coalesce((SELECT max(counted) FROM "pawl_outbox" WHERE id = $1), 0) +',
      8,
      100,
      // Two commits must meet at one counter: from the first seed on, this takes minutes.
      1900,
    ],
    ['a counter that is not counted on', 'count', 'lane.counted + $2', '$2', 8, 1000],
    ['a counter that begins anew before what still lies there', 'count', /coalesce\(.*0\)/, '0', 8, 3000],
    ['a commit that does not look for what lies before its messages', 'write', 'n > 0', 'n < 0', 8, 300],
    ['a lane that is read without its order', 'lane', 'ORDER BY n', 'ORDER BY uid', 8, 1000],
    ['a relay that takes what another one holds', 'due', /held_until IS NULL OR .*\)/, 'n > 0)', 0, 300],
    ['a relay that takes more of a lane than its head', 'due', /NOT EXISTS \(.*\)/, 'n > 0', 0, 300],
    ['a relay that holds all of a lane', 'due', ' AND head.n = heads.n', '', 0, 300],
    ['relays that do not lock what they take', 'due', ' FOR UPDATE SKIP LOCKED', '', 0, 3000],
    ['a head that waits for its counter', 'due', 'earlier.n > 0', 'earlier.n >= 0', 14, 50],
    ['a sender that removes its lane', 'remove', /n = .*uid = \$3/, 'n > 0', 7, 100],
  ])('%s', async (_, statement, part, other, invariant, within, first) => {
    plantIn(statement, part, other);
    expect(await firstBroken(within, first)).toBe(invariant);
  });

  it('a retention that deletes counters in use', async () => {
    plant<Retention>('../../lib/pawl/stores/postgres/statements.ts', ({ statementsOf }) => ({
      statementsOf(table) {
        const all = statementsOf(table);
        const deleteExpired = all.deleteExpired.replace(/expires_at < \S+ precision/, 'n >= 0');
        return { ...all, deleteExpired: mustDiffer(all.deleteExpired, deleteExpired) };
      },
    }));
    expect(await firstBroken(1000)).toBe(7);
  });

  it('a commit that looks for what lies before its messages ahead of the lock', async () => {
    plant<Outbox>('../../lib/pawl/outbox/postgres/outbox.ts', ({ postgresOutbox }) => ({
      postgresOutbox(options) {
        const made = postgresOutbox(options);
        return { ...made, message: (message) => askingEarly(made.message(message)) };
      },
    }));
    expect(await firstBroken(1000)).toBe(8);
  });
});

interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: readonly object[] }>;
}

interface Maker {
  readonly kind: 'postgres';
  insert(connection: Queryable, rows: readonly object[]): Promise<unknown>;
}

const makers = new WeakMap<Maker, Maker>();

/** A message whose maker asks what lies before it in a statement that comes before the one that counts. */
function askingEarly<Row extends object>(row: Row): Row {
  const madeBy: PropertyKey = Symbol.for('pawl.deferred-write/1');
  const maker = Reflect.get(row as object, madeBy) as Maker;
  const asking: Maker = makers.get(maker) ?? {
    kind: 'postgres',
    insert(connection, rows) {
      let before: ReturnType<Queryable['query']> | undefined;
      const query: Queryable['query'] = async (text, values) => {
        before ??= connection.query('SELECT id FROM "pawl_outbox" WHERE n > 0', []);
        const found = await before;
        const answer = await connection.query(text, values);
        return text.startsWith('WITH written') ? found : answer;
      };
      return maker.insert({ query }, rows);
    },
  };
  makers.set(maker, asking);
  return Object.assign(row, { [madeBy]: asking });
}
