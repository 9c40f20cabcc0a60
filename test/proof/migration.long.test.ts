import { expect, inject, test } from 'vitest';
import { migrate } from '../../proof/migration/migration.ts';
import { doublesIn, type Run } from '../../proof/migration/oracle.ts';
import { bothTables } from '../suites/integration/powertools/support.ts';
import { localClient } from '../support/tables.ts';

/** How many workers are killed: `PAWL_KILLS=200 npx vitest run --project long test/proof/migration`. */
const kills = Number(process.env['PAWL_KILLS'] ?? 16);

async function tables() {
  const endpoint = inject('dynamoEndpoint');
  const { records, claims } = await bothTables(localClient(endpoint));
  return { endpoint, records, claims };
}

test('a fleet that moves over by halves, and half of it back, under kills: nothing is lost, and each double has the cause of a numbered scenario', async () => {
  const { keys, kills: killed, runs, doubles, lost } = await migrate({ ...(await tables()), kills, seed: 11 });
  expect(killed).toBeGreaterThanOrEqual(kills);
  expect(lost).toEqual([]);
  expect(doubles.filter(({ cause }) => cause === undefined)).toEqual([]);
  // Both have done a good part of it, and replayed what the other one had done.
  for (const library of ['peer', 'pawl']) {
    const own = runs.filter((run) => run.kind === library);
    expect(own.filter(({ effectAt }) => effectAt !== undefined).length).toBeGreaterThan(keys.length / 6);
    expect(own.filter(({ effectAt, end }) => effectAt === undefined && end?.how === 'returned').length).toBeGreaterThan(
      0,
    );
  }
});

test('where pawl does not look at the records of Powertools, an effect happens twice without such a cause', async () => {
  const { doubles } = await migrate({ ...(await tables()), kills: 6, seed: 12, library: 'ungated' });
  expect(doubles.filter(({ cause }) => cause === undefined)).not.toEqual([]);
});

test('a double is explained by what became of the run before it, and by nothing else', () => {
  const run = (more: Partial<Run>): Run => ({
    key: 'k',
    kind: 'pawl',
    startedAt: 0,
    endsAt: 5000,
    effectAt: 100,
    end: { how: 'returned', at: 110, said: [] },
    ...more,
  });
  const again = run({ startedAt: 1000, endsAt: 6000, effectAt: 1100, end: { how: 'returned', at: 1110, said: [] } });
  const causeOf = (...runs: readonly Run[]) => doublesIn(runs).map(({ cause }) => cause);
  expect(causeOf(run({}), again)).toEqual([undefined]);
  expect(causeOf(run({ end: { how: 'killed', at: 105, said: [] } }), again)).toEqual([20]);
  expect(causeOf(run({ end: { how: 'threw', at: 105, said: [] } }), again)).toEqual([20]);
  expect(causeOf(run({ end: { how: 'returned', at: 7000, said: [] } }), again)).toEqual([8]);
  expect(causeOf(run({}), run({ effectAt: 5500 }))).toEqual([8]);
  const late = { kind: 'peer', endsAt: 120, end: { how: 'threw', at: 500, said: [] } } as const;
  const { effectAt: _, ...deleting } = run(late);
  expect(causeOf(run({}), again, deleting)).toEqual([1]);
  expect(causeOf(run({}), again, { ...deleting, kind: 'pawl' })).toEqual([undefined]);
  expect(causeOf(run({}), run({ key: 'other' }))).toEqual([]);
});
