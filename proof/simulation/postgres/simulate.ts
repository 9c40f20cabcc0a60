import { simulateDoors } from '../doors/simulate.ts';
import { type Simulated, type SimulateOptions, simulate } from '../simulate.ts';
import type { Stats } from '../simulation.ts';
import type { Troubled } from '../troubles.ts';

const inPostgres = { database: 'postgres', http: undefined } as const;

/** One seed of the worlds of claims (odd) and of doors (even), with PostgreSQL below them. All else is what the seed means there. */
export function simulatePostgres(
  seed: number,
  options: Omit<SimulateOptions, 'change'> = {},
): Promise<Simulated<Troubled, Stats>> {
  return seed % 2 === 0
    ? simulateDoors(seed, { ...options, change: (scenario) => ({ ...scenario, ...inPostgres }) })
    : simulate(seed, { ...options, change: (scenario) => ({ ...scenario, ...inPostgres }) });
}
