import type { EffectRequest } from '../parts.ts';
import type { Simulation } from '../simulation.ts';
import type { DoorsOracle } from './oracle.ts';
import type { DoorsScenario } from './scenario.ts';

/** The parts of one simulation of doors and features, each of which knows the others through this. */
export interface DoorsSimulation extends Simulation {
  readonly scenario: DoorsScenario;
  readonly oracle: DoorsOracle;
}

/** What one step of a job asks its provider for. Its name is part of what the provider is asked for. */
export function effectOf(key: string, step: string): Pick<EffectRequest, 'key'> {
  return { key: `${key}/${step}` };
}
