import type { PostgresPool } from '../../../lib/pawl/stores/postgres/sql.ts';
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
import { outboxLaws } from './outbox-postgres.ts';

/** What the simulation believes of PostgreSQL must be so: the laws that hold on a real server hold on the simulated one. */
const world = createWorld({ seed: 1, keepsStory: false, turnsTheLoop: false });
const sandbox = createSandbox(world, 'laws', 0);
const table = simulatedTable<Sandbox>('claims', () => {});
const database = simulatedDatabase(world, table, () => {});
const oracle = { heard: () => {}, storeFails: () => {}, sending: () => {} };
const calm = { world, strikes: () => false, isOut: () => false, stats: noStats(), oracle };
const poolOf = () => postgresPool(calm, sandbox, database);

let passing = false;
let isWaiting = false;
/** The laws do not know of the world's time: it passes whenever something waits for it. */
function passTime(): void {
  isWaiting = true;
  if (passing) return;
  passing = true;
  // Not before all that is asked for in this turn of the event loop is on its way.
  setImmediate(async () => {
    isWaiting = false;
    await world.run(Number.POSITIVE_INFINITY);
    passing = false;
    if (isWaiting) passTime();
  });
}

/** A pool of an author's own transactions, which sets no timer that time would pass for. */
function passingTime(pool: PostgresPool): PostgresPool {
  const passed = <T>(asked: Promise<T>) => {
    passTime();
    return asked;
  };
  return {
    async connect() {
      const client = await passed(pool.connect());
      return {
        query: (text, values) => passed(client.query(text, values)),
        release: (destroy) => client.release(destroy),
      };
    },
  };
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
outboxLaws(
  'the simulated PostgreSQL',
  async () => ({
    ...{ pool: passingTime(poolOf()), elsewhere: passingTime(poolOf()), table: 'pawl_outbox' },
    host: { ...sandbox.host, ...host },
  }),
  20,
);
laws(', always in a batch,', false);
