import { parseArgs } from 'node:util';
import { type DynamoDbLocal, startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { type Figures, judge } from './judge.ts';
import { apps, type Circumstance, circumstances } from './plan.ts';
import { observedRun, plansOf } from './run.ts';
import { judgeShop, type ShopFigures } from './shop/judge.ts';
import { observedShop, type ShopEvidence } from './shop/shop.ts';

/*
 * npm run campaign -- observe: five apps under observe beside the same apps without pawl, with their table, without it, and while it is taken away. The odd seeds
 * kill sandboxes that handle one message at a time, so that everything is compared; the even ones have batches of five, every other one of them with kills.
 * With --shop 3, the orders of the shop likewise.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    orders: { type: 'string', default: '6' },
    apps: { type: 'string', default: apps.join() },
    'at-once': { type: 'string', default: '2' },
    /** How many seeds of the shop, each in four runs of its own. */
    shop: { type: 'string', default: '0' },
    /** The first of them. */
    'shop-from': { type: 'string', default: '1' },
  },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const isOdd = (seed: number) => seed % 2 === 1;
const ordersPerSeed = Number(values.orders);
const singly = { seeds: seeds.filter(isOdd), batchSize: 1, kills: () => true, ordersPerSeed } as const;
const inBatches = {
  ...{ seeds: seeds.filter((seed) => !isOdd(seed)), batchSize: 5, ordersPerSeed },
  kills: (seed: number) => seed % 4 === 0,
} as const;
const parts = apps
  .filter((app) => values.apps.split(',').includes(app))
  .flatMap((app) => [
    { name: `${app}, one at a time`, ...singly, apps: [app] },
    { name: `${app}, in batches`, ...inBatches, apps: [app] },
  ])
  .filter((part) => part.seeds.length > 0);

const problems: string[] = [];
const total: Partial<Record<keyof Figures, number>> = {};
const waiting = parts.values();
await Promise.all(Array.from({ length: Number(values['at-once']) }, lane));
const shop = await shopSeeds(Number(values['shop-from']), Number(values.shop));
for (const problem of problems) console.error(problem);
console.log(JSON.stringify({ seeds: seeds.length, ...total, shop, problems: problems.length }));
process.exit(problems.length > 0 ? 1 : 0);

/** Every third seed has kills. */
async function shopSeeds(first: number, count: number): Promise<Partial<ShopFigures>> {
  const sum: Partial<Record<keyof ShopFigures, number>> = {};
  for (let seed = first; seed < first + count; seed += 1) {
    const killShare = seed % 3 === 0 ? 0.1 : 0;
    const all = new Map<Circumstance, ShopEvidence>();
    const run = async (circumstance: Circumstance) => {
      all.set(circumstance, await observedShop({ seed, orders: 20, killShare, circumstance }));
      console.error(`shop, ${circumstance}: seed ${seed}`);
    };
    // One after the other: side by side, each would take the machine from the others.
    for (const circumstance of circumstances) await run(circumstance);
    const { problems: found, figures } = judgeShop(seed, all, killShare > 0);
    problems.push(...found);
    for (const [figure, count] of Object.entries(figures) as Iterable<[keyof ShopFigures, number]>)
      sum[figure] = (sum[figure] ?? 0) + count;
  }
  return sum;
}

/** Parts one after the other, over a database of their own: each deletes the tables of the one before it. */
async function lane(): Promise<void> {
  const dynamoDb = await startDynamoDbLocal();
  try {
    for (const part of waiting) await carriedOut(part, dynamoDb);
  } finally {
    await dynamoDb.stop();
  }
}

async function carriedOut(run: (typeof parts)[number], dynamoDb: DynamoDbLocal): Promise<void> {
  const onSeed = (seed: number, seconds: number) =>
    console.error(`${run.name}: seed ${seed}, after ${seconds.toFixed(0)} s`);
  const evidence = await observedRun({ ...run, dynamoDb, onSeed });
  const { problems: found, figures } = judge(evidence, {
    ...run,
    planOf: plansOf(run),
    killsStrikeOthers: (seed) => run.batchSize > 1 && run.kills(seed),
  });
  console.error(`${run.name}: ${JSON.stringify(figures)}, ${found.length} problems`);
  problems.push(...found);
  for (const [figure, count] of Object.entries(figures) as Iterable<[keyof Figures, number]>)
    total[figure] = (total[figure] ?? 0) + count;
}
