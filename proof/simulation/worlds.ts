import { simulateDoors } from './doors/simulate.ts';
import { simulateInstances } from './instances/simulate.ts';
import { simulateLocks } from './locks/simulate.ts';
import { simulateOutbox } from './outbox/simulate.ts';
import { simulatePostgres } from './postgres/simulate.ts';
import { simulateRestores } from './restores/simulate.ts';
import { type Simulated, type SimulateOptions, simulate } from './simulate.ts';
import type { Troubled } from './troubles.ts';

/** What can be simulated. `both`: claims under odd seeds, doors under even ones. */
export type What =
  | 'both'
  | 'claims'
  | 'doors'
  | 'locks'
  | 'instances'
  | 'restores'
  | 'outbox'
  | 'outbox-postgres'
  | 'postgres';

/** Runs one seed of a world. */
export type SimulateAny = (
  seed: number,
  options: Omit<SimulateOptions, 'change'>,
) => Promise<Simulated<Troubled, object>>;

export const worlds: Readonly<Record<What, SimulateAny>> = {
  both: (seed, options) => (seed % 2 === 0 ? simulateDoors(seed, options) : simulate(seed, options)),
  claims: (seed, options) => simulate(seed, options),
  doors: (seed, options) => simulateDoors(seed, options),
  locks: (seed, options) => simulateLocks(seed, options),
  instances: (seed, options) => simulateInstances(seed, options),
  restores: (seed, options) => simulateRestores(seed, options),
  outbox: (seed, options) => simulateOutbox(seed, options),
  'outbox-postgres': (seed, options) => simulateOutbox(seed, { ...options, database: 'postgres' }),
  postgres: (seed, options) => simulatePostgres(seed, options),
};
