import { dynamoClient } from '../dynamodb/client.ts';
import { simulatedTable } from '../dynamodb/table.ts';
import { createSandbox, type Sandbox } from '../lambda/sandbox.ts';
import type { Simulated, SimulateOptions } from '../simulate.ts';
import { createTroubles } from '../troubles.ts';
import { createWorld } from '../world/world.ts';
import { createLockOracle } from './oracle.ts';
import { repay } from './repay.ts';
import { createLockScenario, type LockScenario, type Wish } from './scenario.ts';
import { type LockSimulation, type LockStats, noLockStats } from './simulation.ts';

/** How long what was still on its way when the last wish was done may go on: late requests, frozen timers. */
const aftermathMs = 60_000;

/** Runs one seed: wishes over debts that overlap, from their first attempts until all is repaid. */
export async function simulateLocks(
  seed: number,
  { keepsStory = false, turnsTheLoop = false }: Omit<SimulateOptions, 'change'> = {},
): Promise<Simulated<LockScenario, LockStats>> {
  const scenario = createLockScenario(seed);
  const { skewMs, functionTimeoutMs, leaseMs, sdkTries } = scenario;
  const world = createWorld({ seed, keepsStory, turnsTheLoop });
  const { random } = world;
  const stats = noLockStats();
  const troubles = createTroubles(world, scenario, stats);
  const { strikes } = troubles;
  const oracle = createLockOracle(world, scenario, () => table.items);
  const table = simulatedTable<Sandbox>('locks', oracle.wrote);
  const simulation: LockSimulation = { scenario, world, stats, oracle, strikes };
  const left = new Set(scenario.wishes);
  /** Attempts that are under way, of each wish. */
  const running = new Map<Wish, number>();

  const clockOffset = () => Math.round(random.between(1 - skewMs / 2, skewMs / 2 - 1));
  const surroundings = {
    world,
    stats,
    scenario: { sdkTries },
    ...troubles,
    oracle: {
      heard(_: Sandbox, __: object, answer: object) {
        if ('error' in answer) oracle.heard(answer.error);
      },
      storeFails: oracle.troubled,
    },
  };

  function attempt(wish: Wish): void {
    const sandbox = createSandbox(world, `s${++stats.attempts}`, clockOffset());
    let isOver = false;
    let isPaused = false;
    running.set(wish, (running.get(wish) ?? 0) + 1);
    oracle.began(sandbox, wish);
    world.note(sandbox.name, 'works for', `${wish.holder}: ${wish.debts.join(', ')}`);

    function end(said: 'done' | 'again'): void {
      if (isOver) return;
      isOver = true;
      world.note(sandbox.name, 'ends:', said);
      sandbox.kill();
      if (said === 'done') oracle.done(wish);
      if (said === 'done') left.delete(wish);
      over(said === 'done' ? 0 : scenario.backoffMs * random.between(0.5, 1.5));
    }

    function kill(why: string): void {
      if (isOver) return;
      isOver = true;
      world.note(sandbox.name, 'is killed:', why);
      stats.kills++;
      sandbox.kill();
      over(scenario.visibilityMs * random.between(0.1, 1));
    }

    /** A message that was delivered twice comes again once. */
    function over(ms: number): void {
      running.set(wish, (running.get(wish) ?? 0) - 1);
      if (running.get(wish) === 0) world.after(ms, () => again(wish));
    }

    function pause(): void {
      if (isOver || isPaused) return;
      const ms = leaseMs * random.pick([0.2, 1.5, 4]) * random.between(0.8, 1.3);
      world.note(sandbox.name, 'stands still', `for ${Math.round(ms)} ms`);
      stats.pauses++;
      oracle.troubled(sandbox);
      isPaused = true;
      sandbox.freeze();
      world.after(ms, () => {
        isPaused = false;
        if (isOver) return;
        world.note(sandbox.name, 'goes on');
        oracle.troubled(sandbox);
        sandbox.thaw();
      });
    }

    const soon = () => random.between(0, random.chance(0.7) ? 1000 : functionTimeoutMs);
    const struck = strikes('killAtCall') ? () => kill('at a request') : strikes('pause') ? pause : undefined;
    if (struck) sandbox.lieInWait({ call: random.below(16), sent: random.chance(0.5), strike: struck });
    if (strikes('pause')) world.after(soon(), pause);
    if (strikes('killAtTime')) world.after(soon(), () => kill('at any time'));
    if (strikes('clockJumps')) {
      oracle.troubled(sandbox);
      world.after(soon(), () => sandbox.setClock(clockOffset()));
    }
    if (strikes('clockWrong')) {
      oracle.clockWentWrong();
      world.after(soon(), () => sandbox.setClock(Math.round(random.between(-20, 20) * skewMs)));
    }
    if (strikes('deliveredTwice')) {
      stats.deliveredTwice++;
      world.after(soon(), () => left.has(wish) && attempt(wish));
    }
    const lateMs = strikes('killLate') || strikes('pause') ? random.between(0, 3) * functionTimeoutMs : 0;
    world.after(functionTimeoutMs + lateMs, () => {
      if (isOver) return;
      stats.timeouts++;
      if (sandbox.waitsForNothing) oracle.problem(14, `${sandbox.name} timed out, and there was nothing to wait for`);
      kill('timed out');
    });

    const client = dynamoClient(surroundings, sandbox, table);
    sandbox.deliver(() =>
      repay(simulation, sandbox, client, wish).then((isDone) => sandbox.deliver(() => end(isDone ? 'done' : 'again'))),
    );
  }

  function again(wish: Wish): void {
    if (left.has(wish) && running.get(wish) === 0) attempt(wish);
  }

  for (const wish of scenario.wishes) {
    stats.wishes++;
    world.after(random.between(0, scenario.forMs), () => attempt(wish));
  }
  const isOver = () => left.size === 0 && [...running.values()].every((attempts) => attempts === 0);
  await world.run(scenario.faultsEndMs + scenario.forMs + scenario.mayTakeMs, () => {
    return oracle.violations.length > 0 || isOver();
  });
  if (oracle.violations.length === 0) {
    for (const { holder } of left)
      oracle.problem(14, `${holder} is not done ${scenario.mayTakeMs} ms after the faults`);
    if (left.size === 0) {
      await world.run(world.time + aftermathMs);
      oracle.atTheEnd();
    }
  }
  const { hash, steps, time, story } = world;
  return { seed, scenario, violations: oracle.violations, stats, hash, steps, virtualMs: time, story };
}
