import { describe, expect, it } from 'vitest';
import { postgresPrograms, startPostgres } from '../../../shop/postgres/server.ts';
import { faults, runKills } from '../../fixtures/postgres/kills.ts';
import { doors, points } from '../../fixtures/postgres/messages.ts';

const programs = postgresPrograms();
/** Each has every fault at every point of every door: 18 workers killed, 18 backends, and 18 stops of the server. `npm run campaign -- postgres` has 14. */
const rounds = Number(process.env['PAWL_KILLS'] ?? 1);

/** For the whole, as every long test has for one round. */
const timeout = rounds * 600_000;

describe.skipIf(programs === undefined)('payments in PostgreSQL', () => {
  it('happen once: workers killed, backends terminated and the server stopped between statements and COMMIT', {
    timeout,
  }, async () => {
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
