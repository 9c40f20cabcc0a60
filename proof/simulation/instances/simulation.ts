import type { SimulatedTable } from '../dynamodb/table.ts';
import type { FaultName } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { SimulatedQueue } from '../sqs/queue.ts';
import type { World } from '../world/world.ts';
import type { InstancesOracle, InstancesStats } from './oracle.ts';
import type { InstancesScenario } from './scenario.ts';

/** The parts of one simulation of Managed Instances, each of which knows the others through this. */
export interface InstancesSimulation {
  readonly scenario: InstancesScenario;
  readonly world: World;
  readonly stats: InstancesStats;
  readonly oracle: InstancesOracle;
  readonly strikes: (fault: FaultName) => boolean;
  readonly isOut: () => boolean;
  readonly table: SimulatedTable<Sandbox>;
  readonly queue: SimulatedQueue;
  readonly deadLetters: SimulatedQueue;
}
