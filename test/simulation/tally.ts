import type { Violation } from './parts.ts';
import { simulate } from './simulate.ts';
import { addStats, noStats, type Stats } from './simulation.ts';

/** What came of many seeds. */
export interface Tally {
  seeds: number;
  stats: Stats;
  steps: number;
  failures: { readonly seed: number; readonly violations: readonly Violation[] }[];
}

export const noTally = (): Tally => ({ seeds: 0, stats: noStats(), steps: 0, failures: [] });

/** Adds one tally to another. */
export function add(to: Tally, more: Tally): void {
  to.seeds += more.seeds;
  to.steps += more.steps;
  addStats(to.stats, more.stats);
  to.failures.push(...more.failures);
}

/** Every so many seeds, one of them goes by turns of the event loop, where unhandled rejections are seen at once. */
const turnsTheLoopEvery = 50;

/** Runs seeds one after the other. */
export async function runSeeds(seeds: Iterable<number>): Promise<Tally> {
  const tally = noTally();
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  for (const seed of seeds) {
    const { violations, stats, steps } = await simulate(seed, { turnsTheLoop: seed % turnsTheLoopEvery === 0 });
    // Node only looks for rejections that nobody handled when it has nothing else to do.
    await new Promise((resolve) => setImmediate(resolve));
    const unhandled = rejections.splice(0).map((reason) => ({
      invariant: 0,
      text: `nobody handled the rejection ${reason}`,
      at: 0,
    }));
    const failures = [...violations, ...unhandled];
    add(tally, { seeds: 1, stats, steps, failures: failures.length > 0 ? [{ seed, violations: failures }] : [] });
  }
  process.off('unhandledRejection', onRejection);
  return tally;
}
