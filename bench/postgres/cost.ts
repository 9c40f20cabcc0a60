import { median, pairedRatio } from '../cost/statistics.ts';
import type { Table } from '../cost/table.ts';
import { type Contender, effectTable, pairs, tableByHand } from './contenders.ts';
import { type Asked, countedPool } from './counted-pool.ts';

const deliveries = ['new', 'done already'] as const;
type Side = 'byHand' | 'pawl';

/** What a batch has taken, once for each round. */
interface Measured {
  readonly asked: Asked;
  readonly cpuMs: readonly number[];
  readonly wallMs: readonly number[];
}

/** How much is measured. */
export interface CostPlan {
  /** Messages in a batch. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** At least so many messages in a round. */
  readonly messages: number;
  readonly onRound?: (said: string) => void;
}

/** What a batch costs over PostgreSQL, by hand and by pawl. */
export interface Cost {
  readonly what: keyof typeof pairs;
  readonly delivery: (typeof deliveries)[number];
  readonly size: number;
  readonly byHand: Measured;
  readonly pawl: Measured;
}

/**
 * Measures what claims cost beside the same statements by hand, in one run, side by side: statements and round trips of a batch, and the time and the
 * processor time of this process. The server is another process, and its work is not in it.
 *
 * @param url of a database with pawl's table
 */
export async function measureCost(url: string, plan: CostPlan): Promise<readonly Cost[]> {
  const { pool, asked } = countedPool(url);
  const client = await pool.connect();
  for (const sql of [tableByHand, effectTable]) await client.query(sql);
  client.release();
  const costs: Cost[] = [];
  let batches = 0;

  async function round(contender: Contender, keys: readonly (readonly string[])[]) {
    asked();
    const cpu = process.cpuUsage();
    const begun = performance.now();
    for (const batch of keys) await contender(batch);
    const wallMs = (performance.now() - begun) / keys.length;
    const { user, system } = process.cpuUsage(cpu);
    const { statements, roundTrips } = asked();
    return {
      asked: { statements: statements / keys.length, roundTrips: roundTrips / keys.length },
      cpuMs: (user + system) / 1000 / keys.length,
      wallMs,
    };
  }

  try {
    for (const [what, pair] of Object.entries(pairs) as [keyof typeof pairs, (typeof pairs)[keyof typeof pairs]][]) {
      const sides = { byHand: pair.byHand(pool), pawl: pair.pawl(pool) };
      for (const size of plan.sizes) {
        const found = { byHand: [], pawl: [] } as Record<Side, Awaited<ReturnType<typeof round>>[][]>;
        // The first one warms up.
        for (let number = 0; number <= plan.rounds; number++) {
          plan.onRound?.(`${what}, ${size} in a batch, round ${number} of ${plan.rounds}`);
          for (const side of number % 2 === 0 ? (['byHand', 'pawl'] as const) : (['pawl', 'byHand'] as const)) {
            const count = Math.ceil(plan.messages / size);
            const keys = Array.from({ length: count }, () => {
              batches++;
              return Array.from({ length: size }, (_, index) => `${side}-${batches}-${index}`);
            });
            const both = [await round(sides[side], keys), await round(sides[side], keys)];
            if (number > 0) found[side].push(both);
          }
        }
        for (const [index, delivery] of deliveries.entries()) {
          const measured = (side: Side): Measured => {
            const rounds = found[side].flatMap((one) => one[index] ?? []);
            return {
              asked: {
                statements: median(rounds.map((one) => one.asked.statements)),
                roundTrips: median(rounds.map((one) => one.asked.roundTrips)),
              },
              cpuMs: rounds.map(({ cpuMs }) => cpuMs),
              wallMs: rounds.map(({ wallMs }) => wallMs),
            };
          };
          costs.push({ what, delivery, size, byHand: measured('byHand'), pawl: measured('pawl') });
        }
      }
    }
    return costs;
  } finally {
    await pool.end();
  }
}

export function costTable(costs: readonly Cost[]): Table {
  const count = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
  return {
    title: 'Claims in PostgreSQL, beside the same statements by hand',
    head: [
      'contender',
      'messages',
      'batch',
      'statements by hand',
      'pawl',
      'round trips by hand',
      'pawl',
      'client CPU by hand, ms/msg',
      'pawl',
      '× by hand',
      'wall by hand, ms/batch',
      'pawl',
      '× by hand',
    ],
    rows: costs.map(({ what, delivery, size, byHand, pawl }) => [
      what,
      delivery,
      count(size),
      count(byHand.asked.statements),
      count(pawl.asked.statements),
      count(byHand.asked.roundTrips),
      count(pawl.asked.roundTrips),
      (median(byHand.cpuMs) / size).toFixed(3),
      (median(pawl.cpuMs) / size).toFixed(3),
      pairedRatio(pawl.cpuMs, byHand.cpuMs).toFixed(2),
      median(byHand.wallMs).toFixed(1),
      median(pawl.wallMs).toFixed(1),
      pairedRatio(pawl.wallMs, byHand.wallMs).toFixed(2),
    ]),
  };
}
