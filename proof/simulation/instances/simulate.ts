import { fromItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { simulatedTable } from '../dynamodb/table.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Simulated, SimulateOptions } from '../simulate.ts';
import { simulatedQueue } from '../sqs/queue.ts';
import { createTroubles } from '../troubles.ts';
import { createWorld } from '../world/world.ts';
import { startClients, startQueue } from './callers.ts';
import { operation } from './function.ts';
import { startInstances } from './lambda.ts';
import { startOperator } from './operator.ts';
import { createInstancesOracle, type InstancesStats, noInstancesStats } from './oracle.ts';
import { createInstancesScenario, type InstancesScenario } from './scenario.ts';
import type { InstancesSimulation } from './simulation.ts';

/** Work that overruns, back-offs, and parked claims on their way to an operator: all of it has ended by then. */
const mayTakeMs = 24 * 3600_000;
/** How long what was still on its way at the end may go on. */
const aftermathMs = 600_000;

export interface SimulateInstancesOptions extends Omit<SimulateOptions, 'change'> {
  /** Changes what the seed chose. */
  readonly change?: (scenario: InstancesScenario) => InstancesScenario;
}

/**
 * Runs one seed: 64 invocations at once in one process of Lambda Managed Instances, whose deadlines pass while they work, until each key is done or
 * waits for an operator.
 */
export async function simulateInstances(
  seed: number,
  { keepsStory = false, turnsTheLoop = false, change = (scenario) => scenario }: SimulateInstancesOptions = {},
): Promise<Simulated<InstancesScenario, InstancesStats>> {
  const scenario = change(createInstancesScenario(seed));
  const world = createWorld({ seed: seed + 0x2_0000_0000, keepsStory, turnsTheLoop });
  const stats = noInstancesStats();
  const oracle = createInstancesOracle(world, scenario, stats);
  const table = simulatedTable<Sandbox>('claims', oracle.wrote);
  const { visibilityMs, maxReceiveCount } = scenario;
  const deadLetters = simulatedQueue(world, { name: 'dead', fifo: false, visibilityMs });
  const redrive = { maxReceiveCount, to: deadLetters };
  const queue = simulatedQueue(world, { name: 'orders', fifo: false, visibilityMs, redrive });
  const troubles = createTroubles(world, scenario, stats);
  const simulation: InstancesSimulation = { scenario, world, stats, oracle, table, queue, deadLetters, ...troubles };
  const instances = startInstances(simulation);
  const callers = scenario.door === 'http' ? startClients(simulation, instances) : startQueue(simulation, instances);
  if (scenario.hasOperator) startOperator(simulation);

  const statusOf = (key: string) => {
    const item = table.items.get(`${operation}#${key}`);
    return item && fromItem(item).status;
  };
  const keys = Array.from({ length: scenario.keys }, (_, index) => `o${index + 1}`);
  const isParked = () => scenario.hasOperator && keys.some((key) => statusOf(key) === 'parked');
  const isOver = () =>
    callers.isOver() && instances.atWork === 0 && !isParked() && (!scenario.hasOperator || deadLetters.size === 0);
  await world.run(mayTakeMs, () => oracle.violations.length > 0 || isOver());
  if (oracle.violations.length === 0) {
    if (!isOver()) oracle.problem(14, 'not everything has ended');
    await world.run(world.time + aftermathMs);
    for (const key of keys) atTheEnd(key);
  }
  const { hash, steps, time, story } = world;
  return { seed, scenario, violations: oracle.violations, stats, hash, steps, virtualMs: time, story };

  function atTheEnd(key: string): void {
    const status = statusOf(key);
    if (status === 'completed' || status === 'parked') stats[status]++;
    if (status === 'completed' || oracle.effectsOf(key) > 0) return;
    const waits = status === 'parked' || [...deadLetters.messages()].some(({ body }) => body.includes(`"${key}"`));
    if (!waits) oracle.problem(7, `${key} is lost: its claim is ${status ?? 'not there'}`);
  }
}
