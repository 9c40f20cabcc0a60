import { type CrashSweepReport, crashSweep } from '../../lib/testing/index.ts';
import { knowingProvider, orders } from '../../test/testing/providers.ts';
import { type Contender, type Outside, pawl, powertools, unprotected } from './contenders.ts';

export interface Case {
  readonly name: string;
  readonly contender: Contender;
}

/** Every way in which somebody may set it up. */
export const cases: readonly Case[] = [
  { name: "pawl, 'retry'", contender: pawl('retry') },
  { name: "pawl, 'park'", contender: pawl('park') },
  { name: 'pawl, reconcile', contender: pawl('reconcile') },
  { name: 'Powertools', contender: powertools(false) },
  { name: 'Powertools, and a handler that asks first', contender: powertools(true) },
  { name: 'nothing', contender: unprotected },
];

/** How the messages are delivered: all in one batch, or each alone, two workers at a time. */
export const deliveries = { 'one batch': 10, 'one by one': 1 } as const;

export interface Compared {
  readonly honoursKeys: boolean;
  readonly batchSize: number;
  readonly max: number;
}

/** With how many single faults there were. */
export type ComparedReport = CrashSweepReport & { readonly singles: number };

/** Two orders, one of which the producer has sent twice. */
const messages = [...orders, ...orders.slice(0, 1)];

/** Sweeps one contender. */
export async function compare({ contender }: Case, { honoursKeys, batchSize, max }: Compared): Promise<ComparedReport> {
  let singles = 0;
  const report = await crashSweep<Outside>({
    messages,
    provider: (time) => ({ cards: knowingProvider(time, { honoursKeys, lagMs: 500 }), table: new Map() }),
    handler: contender,
    effects: ({ cards }, message) => cards.count(message),
    batchSize,
    // Of each batch size, a table of its own.
    deliveries: ['together'],
    max,
    onProgress: ({ runs, of }) => {
      if (runs === 2) singles = of - 1;
    },
  });
  return { ...report, singles };
}
