import { type Driver, startDriver } from '../cost/driver.ts';
import type { Setting } from '../cost/setting.ts';
import { startingWith, warmUp } from '../cost/sizes.ts';

/** What a change did: one contender as it is now, beside itself as it was at a commit, in turns. */

/** Those that are pawl. */
export const compared = ['pawl', 'pawlLean', 'sqsOnce'] as const;
type Compared = (typeof compared)[number];

/** What is repeated is the second: it needs the first. */
export const comparedScenarios = ['first', 'redelivered'] as const;

/** One contender in one scenario at one batch size. A round has a value of each version. */
export interface Pairs {
  readonly name: Compared;
  readonly size: number;
  readonly scenario: (typeof comparedScenarios)[number];
  readonly requests: Sides<number>;
  readonly cpuMs: Sides<number[]>;
  readonly wallMs: Sides<number[]>;
}

/** A value of the version of the commit, and one of this version. */
interface Sides<Value> {
  readonly before: Value;
  readonly after: Value;
}

/** Where the two are measured. */
type ComparedIn = Pick<Setting, 'endpoint' | 'createTable'> & {
  readonly progress: Pick<Setting['progress'], 'update'>;
};

/** How much is measured. */
export interface ComparePlan {
  readonly rounds: number;
  readonly warmUpMs: number;
  /** How many batches of each size a round has. */
  readonly sizes: readonly { readonly size: number; readonly batches: number }[];
}

/** @param worker of the version of the commit: its `bench/cost/worker.ts` */
export async function comparePairs(plan: ComparePlan, setting: ComparedIn, worker: URL): Promise<readonly Pairs[]> {
  const all: Pairs[] = [];
  for (const { size, batches } of plan.sizes) {
    for (const name of compared) all.push(...(await pairsOf(name, { size, batches }, plan, setting, worker)));
  }
  return all;
}

async function pairsOf(
  name: Compared,
  block: ComparePlan['sizes'][number],
  { rounds, warmUpMs }: ComparePlan,
  { endpoint, createTable, progress }: ComparedIn,
  worker: URL,
): Promise<readonly Pairs[]> {
  await using drivers = new AsyncDisposableStack();
  const start = async (side: keyof Sides<Driver>) => {
    const table = await createTable(`${name}-${block.size}-${side}`);
    const driver = drivers.use(await startDriver(name, table, endpoint, side === 'before' ? { worker } : {}));
    return { side, driver };
  };
  const sides = [await start('before'), await start('after')] as const;
  const pairs: Pairs[] = [];
  for (const scenario of comparedScenarios) {
    const [before, after] = await Promise.all(
      sides.map(async ({ driver }) => (await driver.count({ scenario, size: block.size, series: 'count' })).requests),
    );
    const requests = { before: before ?? Number.NaN, after: after ?? Number.NaN };
    pairs.push({
      ...{ name, size: block.size, scenario, requests },
      ...{ cpuMs: { before: [], after: [] }, wallMs: { before: [], after: [] } },
    });
  }
  progress.update(`${name}, batches of ${block.size}: both versions are warmed up`);
  for (const { driver } of sides) {
    await warmUp(driver, { ...block, scenarios: comparedScenarios, until: performance.now() + warmUpMs });
  }
  for (let round = 0; round < rounds; round++) {
    progress.update(`${name}, batches of ${block.size}: round ${round + 1} of ${rounds}`);
    for (const one of pairs) {
      for (const { side, driver } of startingWith(round, sides)) {
        const { cpuMs, wallMs } = await driver.time({ ...block, scenario: one.scenario, series: `round-${round}` });
        one.cpuMs[side].push(cpuMs);
        one.wallMs[side].push(wallMs.reduce((sum, ms) => sum + ms, 0));
      }
    }
  }
  return pairs;
}
