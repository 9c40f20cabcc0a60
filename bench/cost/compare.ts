import type { Name } from './contender.ts';
import type { Cell, Results } from './results.ts';
import type { Scenario } from './scenarios.ts';
import { median, pairedRatio, percentile } from './statistics.ts';

/** How one contender did in one scenario at one batch size, beside the floor and Powertools in the same run. */
export interface Comparison extends Pick<Cell, 'name' | 'scenario' | 'size' | 'counts'> {
  /** Of one batch. */
  readonly cpuMs: number;
  readonly cpuToFloor: number;
  readonly cpuToPowertools: number;
  /** Ratios of wall times. A percentile that so few batches cannot tell is left out. */
  readonly wallToFloor: Readonly<Record<'p50' | 'p95' | 'p99', number | undefined>>;
  readonly peakMb: number;
}

/** How many batches it takes to tell a percentile: at least one must lie beyond it. */
const percentiles = {
  p50: { share: 0.5, least: 1 },
  p95: { share: 0.95, least: 20 },
  p99: { share: 0.99, least: 100 },
};

export function compare({ cells, peaks }: Pick<Results, 'cells' | 'peaks'>): readonly Comparison[] {
  return cells.map((cell) => {
    const { name, scenario, size, counts, cpuMs } = cell;
    const floor = cellOf(cells, 'floor', scenario, size);
    return {
      name,
      scenario,
      size,
      counts,
      cpuMs: median(cpuMs),
      cpuToFloor: pairedRatio(cpuMs, floor.cpuMs),
      cpuToPowertools: pairedRatio(cpuMs, cellOf(cells, 'powertools', scenario, size).cpuMs),
      wallToFloor: {
        p50: wallRatio(cell, floor, percentiles.p50),
        p95: wallRatio(cell, floor, percentiles.p95),
        p99: wallRatio(cell, floor, percentiles.p99),
      },
      peakMb: peaks.find((peak) => peak.name === name && peak.size === size)?.peakMb ?? Number.NaN,
    };
  });
}

function wallRatio(ours: Cell, theirs: Cell, { share, least }: { share: number; least: number }): number | undefined {
  if (Math.min(ours.wallMs.length, theirs.wallMs.length) < least) return undefined;
  return percentile(ours.wallMs, share) / percentile(theirs.wallMs, share);
}

function cellOf(cells: readonly Cell[], name: Name, scenario: Scenario, size: number): Cell {
  const cell = cells.find((one) => one.name === name && one.scenario === scenario && one.size === size);
  if (cell === undefined) throw new Error(`${name} was not measured in ${scenario} with batches of ${size}`);
  return cell;
}
