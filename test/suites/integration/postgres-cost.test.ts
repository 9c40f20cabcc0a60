import { describe, expect, inject, it } from 'vitest';
import { measureCost } from '../../../bench/postgres/cost.ts';
import { createDatabase } from '../../support/postgres-database.ts';

const server = inject('postgresUrl');

describe.skipIf(server === '')('what claims in PostgreSQL cost', () => {
  it('two statements for a batch, as many as by hand; and in a transaction, as many round trips as by hand', async () => {
    await using database = await createDatabase(server);
    const costs = await measureCost(database.url, { sizes: [1, 10], rounds: 1, messages: 10 });
    const asked = costs
      .filter(({ delivery }) => delivery === 'new')
      .map(({ what, size, byHand, pawl }) => [what, size, byHand.asked, pawl.asked]);
    const two = { statements: 2, roundTrips: 2 };
    const [elsewhere, inside] = ['claim and completion around an effect elsewhere', 'one transaction with the effect'];
    expect(asked).toEqual([
      [elsewhere, 1, two, two],
      [elsewhere, 10, two, two],
      [inside, 1, { statements: 4, roundTrips: 4 }, { statements: 5, roundTrips: 4 }],
      [inside, 10, { statements: 40, roundTrips: 40 }, { statements: 50, roundTrips: 40 }],
    ]);
  });
});
