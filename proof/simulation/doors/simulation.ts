import type { Simulation } from '../simulation.ts';
import type { DoorsOracle } from './parts.ts';
import type { DoorsScenario } from './scenario.ts';

/** The parts of one simulation of doors and features, each of which knows the others through this. */
export interface DoorsSimulation extends Simulation {
  readonly scenario: DoorsScenario;
  readonly oracle: DoorsOracle;
}
