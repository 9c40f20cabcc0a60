import { forgetHandlersLater } from '../../lib/pawl/engine/inside-step.ts';
import type { Violation } from './parts.ts';

/** Numbers by name, and groups of them. */
interface Counts {
  [name: string]: number | Counts;
}

/** What came of many seeds. */
export interface Tally<S = Counts> {
  seeds: number;
  stats: S;
  steps: number;
  failures: { readonly seed: number; readonly violations: readonly Violation[] }[];
}

/** What is simulated: a world for each seed. */
export type Simulate<S> = (
  seed: number,
  options: { readonly turnsTheLoop: boolean },
) => Promise<{ readonly violations: readonly Violation[]; readonly stats: S; readonly steps: number }>;

export const noTally = (): Tally => ({ seeds: 0, stats: {}, steps: 0, failures: [] });

/** Adds one tally to another. */
export function add<S extends object>(to: Tally, more: Tally<S>): void {
  to.seeds += more.seeds;
  to.steps += more.steps;
  addCounts(to.stats, more.stats as unknown as Counts);
  to.failures.push(...more.failures);
}

function addCounts(to: Counts, more: Counts): void {
  for (const [name, value] of Object.entries(more)) {
    if (typeof value === 'number') to[name] = Number(to[name] ?? 0) + value;
    else {
      const group = (to[name] ?? {}) as Counts;
      addCounts(group, value);
      to[name] = group;
    }
  }
}

/** Every so many seeds, one of them goes by turns of the event loop, where unhandled rejections are seen at once. */
const turnsTheLoopEvery = 50;

/** Runs seeds one after the other. */
export async function runSeeds<S extends object>(simulate: Simulate<S>, seeds: Iterable<number>): Promise<Tally<S>> {
  const tally = noTally();
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  for (const seed of seeds) {
    // A handler whose worker is killed never ends. What it holds would be kept with each later call of `once`, of a hundred thousand seeds.
    const forgetHandlers = forgetHandlersLater();
    const { violations, stats, steps } = await simulate(seed, { turnsTheLoop: seed % turnsTheLoopEvery === 0 });
    // Node only looks for rejections that nobody handled when it has nothing else to do.
    await new Promise((resolve) => setImmediate(resolve));
    forgetHandlers();
    const unhandled = rejections.splice(0).map((reason) => ({
      invariant: 0,
      text: `nobody handled the rejection ${reason}`,
      at: 0,
    }));
    const failures = [...violations, ...unhandled];
    add(tally, { seeds: 1, stats, steps, failures: failures.length > 0 ? [{ seed, violations: failures }] : [] });
  }
  process.off('unhandledRejection', onRejection);
  return tally as unknown as Tally<S>;
}
