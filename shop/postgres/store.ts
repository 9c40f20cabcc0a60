import type { Pool } from 'pg';
import type { TapHooks } from '../../lib/rehearsal/engine/servers/tap.ts';
import { noted } from '../../lib/rehearsal/file/own-faults.ts';
import type { Running } from '../../lib/rehearsal/file/running.ts';
import { startDatabase } from './database.ts';
import { startPostgresTap } from './tap.ts';

/** PostgreSQL as the functions of a run have it: a server, and the tap in front of it at which things go wrong. */
export interface ShopPostgres extends AsyncDisposable {
  /** Past all faults. */
  readonly pool: Pool;
  /** Where the functions find it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lets things go wrong from now on. They are told in the stories of the run. */
  disturb(running: Running, hooks: TapHooks): void;
}

/** @throws MissingPostgresError if there is none for this platform */
export async function startShopPostgres(): Promise<ShopPostgres> {
  await using starting = new AsyncDisposableStack();
  const database = starting.adopt(await startDatabase(), (one) => one.stop());
  const tap = starting.adopt(await startPostgresTap(database.port), (one) => one.stop());
  const parts = starting.move();
  return {
    pool: database.pool,
    environment: { DATABASE_URL: `postgres://pawl@127.0.0.1:${tap.port}/postgres` },
    disturb({ engine, intents, journal, carried }, hooks) {
      tap.up = {
        hooks: noted(hooks, 'PostgreSQL', { intents, journal, disturb: carried.disturb }),
        kill: (sandbox) => void engine.kill(sandbox),
        serving: (answer, sandbox) => engine.machine.serving(answer, sandbox),
      };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
