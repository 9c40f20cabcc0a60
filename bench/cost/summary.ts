import { type Comparison, compare } from './compare.ts';
import type { Name } from './contender.ts';
import type { Money, PaidCell } from './money/money.ts';
import type { Cold, ColdStart, Results } from './results.ts';
import type { Scenario } from './scenarios.ts';
import { pairedRatio } from './statistics.ts';

/** How the scenarios are called in the summary, with the batch size behind it: `batch10`. */
const keys: Readonly<Record<Scenario, string>> = {
  first: 'batch',
  duplicate: 'duplicates',
  redelivered: 'redelivered',
  failing: 'failures',
};

/** The result in one object that fits on one line: requests of a batch, and ratios. */
export function summaryOf(results: Results): Readonly<Record<string, unknown>> {
  const comparisons = compare(results);
  const summary: Record<string, unknown> = {};
  for (const { name, scenario, size } of comparisons) {
    if (name !== 'pawl') continue;
    const others = comparisons.filter((one) => one.scenario === scenario && one.size === size);
    summary[`${keys[scenario]}${size}`] = batchSummary(others);
  }
  for (const { name, cpuMs, peakMb, peakMbOfHundreds } of results.large) {
    if (name !== 'pawl') continue;
    summary['batch10000'] = {
      cpuPerMessageRatioToBatch100: rounded(pairedRatio(cpuMs.tenThousand, cpuMs.hundred)),
      cpuRatioToFloor: rounded(pairedRatio(cpuMs.tenThousand, largeOf(results, 'floor').cpuMs.tenThousand)),
      peakMb: Math.round(peakMb),
      peakMbLean: Math.round(largeOf(results, 'pawlLean').peakMb),
      peakMbOfFloor: Math.round(largeOf(results, 'floor').peakMb),
      peakMbOfBatch100: Math.round(peakMbOfHundreds),
    };
  }
  return {
    ...summary,
    cold: coldSummary(results.cold),
    coldStart: leanColdSummary(results.cold),
    costPerMillion: costSummary(results.money),
  };
}

/** US dollars for a million messages, in all: by contender, batch size, milliseconds of the handler, and megabytes. */
export function costSummary({ cells }: Money): Readonly<Record<string, unknown>> {
  const nested = (some: readonly PaidCell[], [key, ...rest]: readonly ((one: PaidCell) => string)[]): unknown => {
    if (key === undefined) return rounded(some[0]?.cost.total ?? Number.NaN);
    return Object.fromEntries([...Map.groupBy(some, key)].map(([name, those]) => [name, nested(those, rest)]));
  };
  const keys = [
    ({ name }: PaidCell) => name,
    ({ size }: PaidCell) => `batch${size}`,
    ({ handlerMs }: PaidCell) => `handler${handlerMs}Ms`,
    ({ memoryMb }: PaidCell) => `${memoryMb}Mb`,
  ];
  return { currency: 'USD', ...(nested(cells, keys) as object) };
}

function batchSummary(comparisons: readonly Comparison[]) {
  const of = (name: Name) => comparisons.find((one) => one.name === name) as Comparison;
  const ratios = ({ cpuToFloor, cpuToPowertools, wallToFloor: { p50 } }: Comparison) => ({
    cpuRatioToFloor: rounded(cpuToFloor),
    cpuRatioToPowertools: rounded(cpuToPowertools),
    wallRatioToFloor: rounded(p50 ?? Number.NaN),
  });
  const names = ['pawl', 'pawlLean', 'sqsOnce', 'powertools', 'floor'] as const;
  return {
    requests: Object.fromEntries(names.map((name) => [name, of(name).counts.requests])),
    ...ratios(of('pawl')),
    cpuRatioLeanToFloor: rounded(of('pawlLean').cpuToFloor),
    cpuRatioLeanToPowertools: rounded(of('pawlLean').cpuToPowertools),
    sqsOnce: ratios(of('sqsOnce')),
  };
}

function largeOf({ large }: Results, name: Name) {
  const found = large.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} was not measured with batches of 10,000`);
  return found;
}

function coldSummary(cold: readonly Cold[]) {
  const of = (name: Cold['name']) => cold.find((one) => one.name === name) as Cold;
  const { pawl, powertools } = { pawl: of('pawl'), powertools: of('powertools') };
  return {
    bytes: { pawl: pawl.bytes, powertools: powertools.bytes },
    importRatioToPowertools: rounded(coldRatio(pawl, powertools, 'importMs')),
    importCpuRatioToPowertools: rounded(coldRatio(pawl, powertools, 'importCpuMs')),
    firstInvocationRatioToPowertools: rounded(coldRatio(pawl, powertools, 'firstMs')),
    firstInvocationCpuRatioToPowertools: rounded(coldRatio(pawl, powertools, 'firstCpuMs')),
  };
}

/** The lean consumer's import beside that of Powertools. */
function leanColdSummary(cold: readonly Cold[]) {
  const of = (name: Cold['name']) => cold.find((one) => one.name === name) as Cold;
  const [lean, powertools] = [of('pawlLean'), of('powertools')];
  return {
    bytesLean: lean.bytes.total,
    importRatioLeanToPowertools: rounded(coldRatio(lean, powertools, 'importMs')),
    importCpuRatioLeanToPowertools: rounded(coldRatio(lean, powertools, 'importCpuMs')),
  };
}

export function coldRatio(ours: Cold, theirs: Cold, what: keyof ColdStart): number {
  return pairedRatio(
    ours.starts.map((start) => start[what]),
    theirs.starts.map((start) => start[what]),
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
