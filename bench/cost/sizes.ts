import { type Name, nameOfEntry } from './contender.ts';
import type { Counts } from './counting.ts';
import { type Driver, startDriver } from './driver.ts';
import type { Plan } from './plan.ts';
import type { Cell, Peak } from './results.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import type { Setting } from './setting.ts';
import type { Timed } from './worker.ts';

interface Recorded {
  readonly name: Name;
  readonly scenario: Scenario;
  readonly counts: Counts;
  readonly blocks: Timed[];
}

/**
 * All contenders and scenarios at one batch size, in turns: within a round every contender gets its block of a scenario
 * before the next scenario begins, and each round begins with another contender.
 */
export async function measureSize(
  { size, rounds, batches }: Plan['sizes'][number],
  warmUpMs: number,
  { endpoint, createTable, progress }: Setting,
): Promise<{ readonly cells: readonly Cell[]; readonly peaks: readonly Peak[] }> {
  await using drivers = new AsyncDisposableStack();
  const all: Driver[] = [];
  const recorded: Recorded[] = [];
  for (const name of nameOfEntry) {
    const driver = drivers.use(await startDriver(name, await createTable(`${name}-${size}`), endpoint));
    all.push(driver);
    progress.update(`batches of ${size}: ${name} is counted and warmed up`);
    const warmAt = performance.now() + warmUpMs;
    for (const scenario of scenarios) {
      const counts = await driver.count({ scenario, size, series: 'count' });
      recorded.push({ name, scenario, counts, blocks: [] });
    }
    await warmUp(driver, { size, batches, scenarios: scenarios, until: warmAt });
  }

  for (let round = 0; round < rounds; round++) {
    const series = `round-${round}`;
    for (const scenario of scenarios) {
      progress.update(`batches of ${size}: round ${round + 1} of ${rounds}, ${scenario}`);
      for (const driver of startingWith(round, all)) {
        const block = await driver.time({ scenario, size, batches, series });
        recorded.find((one) => one.name === driver.name && one.scenario === scenario)?.blocks.push(block);
      }
    }
  }

  return {
    cells: recorded.map(({ blocks, ...rest }) => ({
      ...rest,
      size,
      cpuMs: blocks.map(({ cpuMs }) => cpuMs / batches),
      wallMs: blocks.flatMap(({ wallMs }) => wallMs),
    })),
    peaks: await Promise.all(all.map(async ({ name, peakMb }) => ({ name, size, peakMb: await peakMb() }))),
  };
}

/** Works as it will later, until its code is compiled. By time, not by rounds: nobody is measured colder for needing fewer requests. */
export async function warmUp(
  driver: Driver,
  work: {
    readonly size: number;
    readonly batches: number;
    readonly scenarios: readonly Scenario[];
    /** By `performance.now()`. */
    readonly until: number;
  },
): Promise<void> {
  for (let round = 0; performance.now() < work.until; round++) {
    for (const scenario of work.scenarios) {
      await driver.time({ ...work, scenario, series: `warm-${round}` });
    }
  }
}

/** The same ones, in the same circle, beginning with another one. */
export function startingWith<T>(first: number, all: readonly T[]): readonly T[] {
  const at = first % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}
