import { median, pairedRatio } from '../cost/statistics.ts';
import type { Table } from '../cost/table.ts';
import { type Contenders, contenders, titles } from './contenders.ts';
import type { Asked } from './services.ts';

/** How much is measured. */
export interface OutboxPlan {
  /** How many messages a payment has. */
  readonly messages: readonly number[];
  readonly rounds: number;
  /** How many payments each contender makes in a round, one after the other. */
  readonly payments: number;
  readonly onRound?: (said: string) => void;
}

/** What a payment costs a contender. */
export interface OutboxCost {
  readonly contender: keyof Contenders;
  readonly messages: number;
  readonly asked: Asked;
  /** Of a payment, once for each round, in milliseconds. */
  readonly wallMs: readonly number[];
  /** Of this process: the servers are others. */
  readonly cpuMs: readonly number[];
}

/** Each round has every contender in turn: what slows the machine slows all of them. @param asked what was asked since it was last called */
export async function measureOutbox(
  pay: Contenders,
  asked: () => Asked,
  { messages, rounds, payments, onRound }: OutboxPlan,
): Promise<readonly OutboxCost[]> {
  const costs: OutboxCost[] = [];
  for (const count of messages) {
    const found = contenders.map((contender) => ({
      contender,
      messages: count,
      asked: { database: 0, queue: 0, writeUnits: 0 },
      wallMs: [] as number[],
      cpuMs: [] as number[],
    }));
    // The first one warms up.
    for (let round = 0; round <= rounds; round++) {
      onRound?.(`${count} messages, round ${round} of ${rounds}`);
      for (const one of round % 2 === 0 ? found : found.toReversed()) {
        asked();
        const cpu = process.cpuUsage();
        const begun = performance.now();
        for (let n = 0; n < payments; n++) await pay[one.contender](`${one.contender}-${count}-${round}-${n}`, count);
        if (round === 0) continue;
        one.wallMs.push((performance.now() - begun) / payments);
        const { user, system } = process.cpuUsage(cpu);
        one.cpuMs.push((user + system) / 1000 / payments);
        const { database, queue, writeUnits } = asked();
        const each = (total: number) => total / payments;
        one.asked = { database: each(database), queue: each(queue), writeUnits: each(writeUnits) };
      }
    }
    costs.push(...found);
  }
  return costs;
}

export function outboxTable(title: string, costs: readonly OutboxCost[]): Table {
  const hasUnits = costs.some(({ asked }) => asked.writeUnits > 0);
  const units = (asked: Asked) => (hasUnits ? [count(asked.writeUnits)] : []);
  return {
    title,
    head: [
      'contender',
      'messages',
      'requests to the database',
      'to the queue',
      ...(hasUnits ? ['write units'] : []),
      'wall, ms',
      '× by hand',
      'client CPU, ms',
      '× by hand',
    ],
    rows: costs.map(({ contender, messages, asked, wallMs, cpuMs }) => {
      const byHand = costs.find((one) => one.contender === 'byHand' && one.messages === messages);
      return [
        titles[contender],
        String(messages),
        count(asked.database),
        count(asked.queue),
        ...units(asked),
        median(wallMs).toFixed(1),
        pairedRatio(wallMs, byHand?.wallMs ?? []).toFixed(2),
        median(cpuMs).toFixed(2),
        pairedRatio(cpuMs, byHand?.cpuMs ?? []).toFixed(2),
      ];
    }),
  };
}

function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
