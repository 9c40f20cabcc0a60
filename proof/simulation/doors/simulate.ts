import { simulatedTable } from '../dynamodb/table.ts';
import { startEventSource } from '../lambda/event-source.ts';
import { createLambda } from '../lambda/lambda.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { simulatedDatabase } from '../postgres/database.ts';
import { createProvider } from '../provider.ts';
import type { Simulated, SimulateOptions } from '../simulate.ts';
import { noStats } from '../simulation.ts';
import { simulatedQueue } from '../sqs/queue.ts';
import { startTraffic } from '../traffic.ts';
import { createTroubles } from '../troubles.ts';
import { createWorld } from '../world/world.ts';
import { startClients } from './clients.ts';
import { doorsFunction } from './function.ts';
import { startOperators } from './operators.ts';
import { createDoorsOracle } from './oracle.ts';
import { blockId } from './parts-of-job.ts';
import { createDoorsScenario, type DoorsScenario } from './scenario.ts';
import type { DoorsSimulation } from './simulation.ts';
import { startSweeps } from './sweeps.ts';

/** How long what was still on its way when the last message ended may go on: late requests, frozen timers. */
const aftermathMs = 60_000;

export interface SimulateDoorsOptions extends Omit<SimulateOptions, 'change'> {
  /** Changes what the seed chose. */
  readonly change?: (scenario: DoorsScenario) => DoorsScenario;
}

/** Runs one seed: one feature behind one door, with operators and clients, from its first message or request until everything has ended. */
export async function simulateDoors(
  seed: number,
  { keepsStory = false, turnsTheLoop = false, change = (scenario) => scenario }: SimulateDoorsOptions = {},
): Promise<Simulated<DoorsScenario>> {
  const scenario = change(createDoorsScenario(seed));
  const world = createWorld({ seed: seed + 0x1_0000_0000, keepsStory, turnsTheLoop });
  const stats = noStats();
  const isHttp = scenario.door === 'http' || scenario.door === 'http-once';
  const simulation = {
    scenario,
    world,
    stats,
    ...createTroubles(world, scenario, stats),
    refuses: (part: string) => simulation.traffic.isRefused(part.split('/')[0] ?? ''),
  } as { -readonly [Part in keyof DoorsSimulation]: DoorsSimulation[Part] };
  const { visibilityMs, maxReceiveCount } = scenario;
  // Where rejections are watched for, nothing else may hear of them.
  simulation.oracle = createDoorsOracle(simulation, !turnsTheLoop);
  simulation.table = simulatedTable<Sandbox>('claims', (...write) => simulation.oracle.wrote(...write));
  simulation.database = simulatedDatabase(world, simulation.table, (...write) => simulation.oracle.wrote(...write));
  simulation.deadLetters = simulatedQueue(world, { name: 'dead', fifo: false, visibilityMs });
  const redrive = { maxReceiveCount, to: simulation.deadLetters };
  simulation.queue = simulatedQueue(world, { name: 'orders', fifo: false, visibilityMs, redrive });
  simulation.provider = createProvider(simulation);
  simulation.lambda = createLambda(simulation, (sandbox) => doorsFunction(simulation, sandbox));
  const operators: { isOver(): boolean } = { isOver: () => started.isOver() };
  simulation.traffic = isHttp ? startClients(simulation, operators.isOver) : startTraffic(simulation);
  startEventSource(simulation);
  const started = startOperators(simulation);
  const sweeps = startSweeps(simulation);

  const { queue, lambda, traffic, oracle, table } = simulation;
  for (let i = 1; i <= scenario.traffic.keys; i++) {
    const id = blockId(`o${i}`);
    if (traffic.isRefused(`o${i}`)) table.put({ id: { S: id } });
  }
  const isOver = () =>
    queue.size === 0 && lambda.running === 0 && traffic.isOver() && started.isOver() && sweeps.isOver();
  const ends = () => oracle.violations.length > 0 || isOver();
  // By then the last message has been sent, and the last one redriven.
  await world.run(2 * scenario.faultsEndMs + 300_000, ends);
  await world.run(scenario.faultsEndMs + scenario.mayTakeMs, ends);
  if (oracle.violations.length === 0) {
    oracle.everythingEnded(isOver());
    await world.run(world.time + aftermathMs);
    oracle.atTheEnd();
  }
  const { hash, steps, time, story } = world;
  return { seed, scenario, violations: oracle.violations, stats, hash, steps, virtualMs: time, story };
}
