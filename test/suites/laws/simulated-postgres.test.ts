import { postgresStore } from '../../../lib/pawl/stores/postgres/store.ts';
import { claimStoreLaws } from '../../../lib/testing/index.ts';
import { simulatedTable } from '../../../proof/simulation/dynamodb/table.ts';
import { createSandbox, type Sandbox } from '../../../proof/simulation/lambda/sandbox.ts';
import { postgresPool } from '../../../proof/simulation/postgres/client.ts';
import { simulatedDatabase } from '../../../proof/simulation/postgres/database.ts';
import { noStats } from '../../../proof/simulation/simulation.ts';
import { createWorld } from '../../../proof/simulation/world/world.ts';
import { inCompany } from '../../support/in-company.ts';
import { lawTest } from '../../support/law-test.ts';
import { losingResponses } from '../../support/lost-commits.ts';

/** What the simulation believes of PostgreSQL must be so: the laws that hold on a real server hold on the simulated one. */
const world = createWorld({ seed: 1, keepsStory: false, turnsTheLoop: false });
const sandbox = createSandbox(world, 'laws', 0);
const table = simulatedTable<Sandbox>('claims', () => {});
const database = simulatedDatabase(world, table, () => {});
const oracle = { heard: () => {}, storeFails: () => {}, sending: () => {} };
const calm = { world, strikes: () => false, isOut: () => false, stats: noStats(), oracle };
const poolOf = () => postgresPool(calm, sandbox, database);

let passing = false;
/** The laws do not know of the world's time: it passes whenever something waits for it. */
function passTime(): void {
  if (passing) return;
  passing = true;
  // Not before all that is asked for in this turn of the event loop is on its way.
  setImmediate(async () => {
    await world.run(Number.POSITIVE_INFINITY);
    passing = false;
  });
}

const host = {
  now: sandbox.clock,
  random: world.random.next,
  after(ms: number, run: () => void) {
    const cancel = world.after(ms, run);
    passTime();
    return cancel;
  },
};

function laws(name: string, isAlone: boolean): void {
  const pool = poolOf();
  const open = (over: typeof pool) => {
    const store = postgresStore({ pool: over, host });
    return isAlone ? store : inCompany(store);
  };
  claimStoreLaws({
    test: lawTest,
    name: `postgresStore${name} on the simulated PostgreSQL`,
    open: () => open(pool),
    openElsewhere: () => open(poolOf()),
    openLosingResponses() {
      const losing = losingResponses(pool);
      return { store: open(losing.pool), lost: losing.lost };
    },
    races: 200,
    runs: 20,
    mayMeetItself: true,
  });
}

laws('', true);
laws(', always in a batch,', false);
