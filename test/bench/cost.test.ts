import { describe, expect, it } from 'vitest';
import { moneyChart } from '../../bench/cost/money/chart.ts';
import { atShare, costOf, cpuShareOf, storedBytes } from '../../bench/cost/money/cost.ts';
import { createCpuQuota } from '../../bench/cost/money/cpu-quota.ts';
import { moneyDocument, moneyTables } from '../../bench/cost/money/document.ts';
import { assumed, drawLatencyMs } from '../../bench/cost/money/latency.ts';
import { handlersMs, paid } from '../../bench/cost/money/money.ts';
import type { Prices } from '../../bench/cost/money/prices.ts';
import { percentile } from '../../bench/cost/statistics.ts';
import { costSummary } from '../../bench/cost/summary.ts';
import { asMarkdown } from '../../bench/cost/table.ts';
import { resultsOf } from './fixtures.ts';

/** Round prices, so that each sum can be done by hand. */
const prices: Prices = {
  region: 'somewhere',
  sources: [],
  date: '2026-11-22',
  lambda: { gbSecond: 0.00001, millionRequests: 0.5 },
  dynamoDb: { millionWriteUnits: 1, millionReadUnits: 0.25, gbMonth: 1 },
  sqs: { millionRequests: 0.4 },
};

describe('the cost of a million messages', () => {
  const units = { write: 2, read: 0.5, storedBytes: 1024 ** 3 / 1_000_000 };

  it('is GB-seconds and invocations, units, what is stored for a month, and what SQS is asked', () => {
    const cost = costOf({ size: 10, memoryMb: 512, durationMs: 39.2, units }, prices);
    // 100,000 invocations of 40 ms at half a GB: 2,000 GB-seconds. 2 × 100,000 requests to SQS.
    expect(cost.lambda).toBeCloseTo(0.02 + 0.05, 10);
    expect(cost.dynamoDb).toBeCloseTo(2 + 0.125, 10);
    expect(cost.storage).toBeCloseTo(1, 10);
    expect(cost.sqs).toBeCloseTo(0.08, 10);
    expect(cost.total).toBeCloseTo(0.07 + 2.125 + 1 + 0.08, 10);
  });

  it('takes ten messages for the most that SQS hands out at once', () => {
    const sqs = (size: number) => costOf({ size, memoryMb: 128, durationMs: 1, units }, prices).sqs;
    expect([1, 10, 100].map(sqs).map((sum) => sum.toFixed(2))).toEqual(['0.80', '0.08', '0.08']);
  });
});

it('a function has a whole CPU at 1,769 MB, and no more of one above', () => {
  expect([128, 512, 1769, 3538].map((memoryMb) => cpuShareOf(memoryMb).toFixed(3))).toEqual([
    '0.072',
    '0.289',
    '1.000',
    '1.000',
  ]);
  expect(atShare(0.25, { wallMs: 10, cpuMs: 2 })).toBe(16);
  // Several threads: more CPU than time has passed.
  expect(atShare(0.5, { wallMs: 2, cpuMs: 3 })).toBe(6);
});

it('an item is stored as its names and its values, and a hundred bytes', () => {
  expect(storedBytes({ id: { S: 'pay#é' }, rev: { N: '1234' }, error: { M: { name: { S: 'Error' } } } })).toBe(
    100 + (2 + 6) + (3 + 3) + (5 + 3 + 9),
  );
});

it('latencies are drawn with the percentiles that are assumed', () => {
  let state = 1;
  // A generator of its own: the same numbers on every run.
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const drawn = Array.from({ length: 20_000 }, () => drawLatencyMs(assumed, random));
  expect(percentile(drawn, 0.5)).toBeCloseTo(assumed.p50Ms, 0);
  expect(percentile(drawn, 0.99) / assumed.p99Ms).toBeCloseTo(1, 0);
});

describe('the page about costs', () => {
  const { money, cold, environment } = resultsOf([10]);
  const text = moneyDocument(money, cold, environment);

  it('has a table for each handler, the plot, the prices’ date, and what is assumed', () => {
    const tables = moneyTables(money);
    expect(tables).toHaveLength(handlersMs.length);
    for (const table of tables) expect(text).toContain(asMarkdown(table));
    expect(text).toContain('](cost.svg)');
    expect(text).toMatch(/entered on \d{4}-\d\d-\d\d/);
    expect(text).toContain('*assumed*');
    expect(text).toContain('by arithmetic'.replace('by ', 'is '));
    expect(text).not.toMatch(/NaN|undefined/);
  });

  it('says so where the machine was busy with other work', () => {
    expect(text).not.toContain('busy');
    const busy = { ...environment, load: { average: 9, cpus: 2 } };
    expect(moneyDocument(money, cold, busy)).toContain('a load of 9 on 2 CPUs');
  });

  it('draws a bar for every contender and batch size', () => {
    const chart = moneyChart(money);
    expect([...chart.matchAll(/<rect x="190"/g)]).toHaveLength(3 * paid.length);
    expect(chart).not.toMatch(/NaN|undefined/);
  });

  it('is a field of the summary, by contender, batch, handler and memory', () => {
    expect(costSummary(money)).toMatchObject({
      currency: 'USD',
      pawl: { batch10: { handler20Ms: { '512Mb': expect.any(Number) } } },
    });
    expect(JSON.stringify(costSummary(money))).not.toMatch(/null/);
  });
});

it('a quota of a CPU leaves no group of processes behind', () => {
  const quota = createCpuQuota();
  quota?.[Symbol.dispose]();
  const again = createCpuQuota();
  // Made, removed and made again; or not possible on this machine, both times.
  expect(again === undefined).toBe(quota === undefined);
  again?.[Symbol.dispose]();
});
