import { consumerFunction } from './consumers/function.ts';
import { simulatedTable } from './dynamodb/table.ts';
import { startEventSource } from './lambda/event-source.ts';
import { createLambda } from './lambda/lambda.ts';
import type { Sandbox } from './lambda/sandbox.ts';
import { startOperator } from './operator.ts';
import { createOracle } from './oracle/oracle.ts';
import type { Violation } from './parts.ts';
import { simulatedDatabase } from './postgres/database.ts';
import { createProvider } from './provider.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { noStats, type Simulation, type Stats } from './simulation.ts';
import { simulatedQueue } from './sqs/queue.ts';
import { startTraffic } from './traffic.ts';
import { createTroubles } from './troubles.ts';
import { createWorld } from './world/world.ts';

/** What came of one seed. */
export interface Simulated<S = Scenario, N = Stats> {
  readonly seed: number;
  readonly scenario: S;
  readonly violations: readonly Violation[];
  readonly stats: N;
  /** The same seed and the same code have the same hash. */
  readonly hash: number;
  readonly steps: number;
  readonly virtualMs: number;
  readonly story: readonly string[] | undefined;
}

export interface SimulateOptions {
  readonly keepsStory?: boolean;
  readonly turnsTheLoop?: boolean;
  /** Changes what the seed chose, e.g. to look at a failure with fewer faults. */
  readonly change?: (scenario: Scenario) => Scenario;
}

export const tableName = 'claims';
/** How long what was still on its way when the last message ended may go on: late requests, frozen timers. */
const aftermathMs = 60_000;

/** Runs one seed from its first message until everything has ended, and says what was wrong. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Simulated> {
  const { keepsStory = false, turnsTheLoop = false, change = (scenario: Scenario) => scenario } = options;
  const scenario = change(createScenario(seed));
  const world = createWorld({ seed, keepsStory, turnsTheLoop });
  const stats = noStats();
  const simulation = {
    scenario,
    world,
    stats,
    ...createTroubles(world, scenario, stats),
    refuses: (key: string) => simulation.traffic.isRefused(key),
  } as { -readonly [Part in keyof Simulation]: Simulation[Part] };
  const { fifo, visibilityMs, maxReceiveCount } = scenario;
  simulation.oracle = createOracle(simulation);
  simulation.table = simulatedTable<Sandbox>(tableName, (...write) => simulation.oracle.wrote(...write));
  simulation.database = simulatedDatabase(world, simulation.table, (...write) => simulation.oracle.wrote(...write));
  simulation.deadLetters = simulatedQueue(world, { name: 'dead', fifo, visibilityMs });
  const redrive = { maxReceiveCount, to: simulation.deadLetters };
  simulation.queue = simulatedQueue(world, { name: 'orders', fifo, visibilityMs, redrive });
  simulation.provider = createProvider(simulation);
  simulation.lambda = createLambda(simulation, (sandbox) => consumerFunction(simulation, sandbox));
  simulation.traffic = startTraffic(simulation);
  startEventSource(simulation);
  const operator = startOperator(simulation);

  const { queue, lambda, traffic, oracle } = simulation;
  const isOver = () => queue.size === 0 && lambda.running === 0 && traffic.isOver() && operator.isOver();
  const ends = () => oracle.violations.length > 0 || isOver();
  // By then the last message has been sent, and the last one redriven.
  await world.run(2 * scenario.faultsEndMs + 60_000, ends);
  // The messages of a group wait for each other.
  const inARow = fifo ? Math.max(1, stats.messages) : 1;
  await world.run(scenario.faultsEndMs + inARow * scenario.mayTakeMs, ends);
  if (oracle.violations.length === 0) {
    oracle.everythingEnded(isOver());
    await world.run(world.time + aftermathMs);
    oracle.atTheEnd();
  }
  const { hash, steps, time, story } = world;
  return { seed, scenario, violations: oracle.violations, stats, hash, steps, virtualMs: time, story };
}
