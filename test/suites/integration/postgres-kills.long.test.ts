import { describe, expect, it } from 'vitest';
import { faults, runKills } from '../../fixtures/postgres/kills.ts';
import { doors, points } from '../../fixtures/postgres/messages.ts';
import { postgresPrograms, startPostgres } from '../../support/postgres.ts';

const programs = postgresPrograms();
/** Each has every fault at every point of every door. `PAWL_KILLS=14` makes five hundred. */
const rounds = Number(process.env['PAWL_KILLS'] ?? 1);

describe.skipIf(programs === undefined)('payments in PostgreSQL', () => {
  it('happen once: workers killed, backends terminated and the server stopped between statements and COMMIT', async () => {
    await using server = await startPostgres(programs ?? '');
    const killed = await runKills(server, rounds);
    const each = rounds * doors.length * points.length;
    expect(killed).toEqual({
      payments: each * faults.length,
      struck: Object.fromEntries(faults.map((fault) => [fault, each])),
      lost: [],
      doubled: [],
      drifted: [],
      open: [],
    });
  });
});
