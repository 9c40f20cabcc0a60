import { type Name, nameOfEntry } from '../../bench/cost/contender.ts';
import { costOf } from '../../bench/cost/money/cost.ts';
import { handlersMs, type Money, memoriesMb, type PaidCell, paid } from '../../bench/cost/money/money.ts';
import { prices } from '../../bench/cost/money/prices.ts';
import type { Cell, Cold, Results } from '../../bench/cost/results.ts';
import { scenarios } from '../../bench/cost/scenarios.ts';

/** Milliseconds of CPU of one batch of 10, by contender; the machine is twice as slow in the second round. */
const cpuOf: Readonly<Record<Name, number>> = {
  floor: 2,
  pawl: 2.5,
  pawlLean: 1,
  sqsOnce: 3,
  powertools: 10,
  middy: 0.1,
};
const requestCount: Readonly<Record<Name, number>> = {
  floor: 2,
  pawl: 2,
  pawlLean: 2,
  sqsOnce: 2,
  powertools: 20,
  middy: 0,
};

/** What a run would have found, for batches of these sizes. */
export function resultsOf(sizes: readonly number[]): Results {
  const cells = sizes.flatMap((size) =>
    scenarios.flatMap((scenario) =>
      nameOfEntry.map((name): Cell => {
        const cpu = (cpuOf[name] * size) / 10;
        const counts = {
          requests: requestCount[name],
          statements: 2 * size,
          bytesSent: 900 * size,
          bytesReceived: 100 * size,
        };
        const wallMs = Array.from({ length: 30 }, (_, i) => cpu * (1 + i / 30));
        return { name, scenario, size, counts, cpuMs: [cpu, 2 * cpu, cpu], wallMs };
      }),
    ),
  );
  return {
    environment: {
      date: '2026-11-21',
      commit: 'abc1234',
      command: 'npm run bench',
      machine: 'some',
      load: { average: 0.5, cpus: 2 },
      versions: {},
    },
    cells,
    peaks: sizes.flatMap((size) => nameOfEntry.map((name) => ({ name, size, peakMb: 100 }))),
    large: (['floor', 'pawl', 'pawlLean'] as const).map((name) => ({
      name,
      cpuMs: { hundred: [0.2, 0.4], tenThousand: [0.22, 0.44] },
      peakMb: 300,
      peakMbOfHundreds: 120,
    })),
    money: moneyOf(),
    cold: [
      cold('floor', 0, 80),
      cold('pawl', 20_000, 90),
      cold('pawlLean', 20_000, 50),
      cold('powertools', 50_000, 100),
    ],
  };
}

/** As if each contender took as long as its CPU, and one write for each statement. */
function moneyOf(): Money {
  const units = { write: 2, read: 0, storedBytes: 300 };
  const cells = paid.flatMap((name) =>
    [1, 10, 100].flatMap((size) =>
      handlersMs.flatMap((handlerMs) =>
        memoriesMb.map((memoryMb): PaidCell => {
          const durationMs = cpuOf[name] + handlerMs;
          const cost = costOf({ size, memoryMb, durationMs, units }, prices);
          return { name, size, handlerMs, memoryMb, durationMs, units, cost };
        }),
      ),
    ),
  );
  return { shares: 'by arithmetic', cells };
}

function cold(name: Cold['name'], own: number, importMs: number): Cold {
  const start = { importMs, importCpuMs: importMs, firstMs: importMs, firstCpuMs: importMs };
  return { name, bytes: { total: 330_000 + own, own }, starts: [start, start, start] };
}
