import type { Name } from './contender.ts';
import type { Counts } from './counting.ts';
import type { Money } from './money/money.ts';
import type { Scenario } from './scenarios.ts';

/** What was measured of one contender in one scenario at one batch size. */
export interface Cell {
  readonly name: Name;
  readonly scenario: Scenario;
  readonly size: number;
  /** Of one batch. */
  readonly counts: Counts;
  /** Client CPU of one batch, one value per round, in milliseconds. */
  readonly cpuMs: readonly number[];
  /** Wall time of every batch of every round, in milliseconds. */
  readonly wallMs: readonly number[];
}

export interface Peak {
  readonly name: Name;
  readonly size: number;
  /** The most memory of a process that handled batches of this size. */
  readonly peakMb: number;
}

/** Batches of 10,000 beside batches of 100. */
export interface Large {
  readonly name: Name;
  /** Client CPU of a message, one value per round, in milliseconds. */
  readonly cpuMs: { readonly hundred: readonly number[]; readonly tenThousand: readonly number[] };
  /** Of a process that has had one batch of 10,000. */
  readonly peakMb: number;
  /** What a process of the same contender needed for batches of 100 only. */
  readonly peakMbOfHundreds: number;
}

/** Of one process: loading the bundle, and its first invocation, with a batch of 10 over a connection that is yet to be made. */
export interface ColdStart {
  readonly importMs: number;
  readonly importCpuMs: number;
  readonly firstMs: number;
  readonly firstCpuMs: number;
}

export interface Cold {
  readonly name: 'floor' | 'pawl' | 'pawlLean' | 'powertools';
  /** Of the minified bundle. `own`: without the SDK and whatever else is not the contender's. */
  readonly bytes: { readonly total: number; readonly own: number };
  readonly starts: readonly ColdStart[];
}

export interface Environment {
  readonly date: string;
  readonly commit: string;
  readonly command: string;
  readonly machine: string;
  /** Processes that wanted a CPU when the run began, on average over a minute, and CPUs. */
  readonly load: { readonly average: number; readonly cpus: number };
  readonly versions: Readonly<Record<string, string>>;
}

export interface Results {
  readonly environment: Environment;
  readonly cells: readonly Cell[];
  readonly peaks: readonly Peak[];
  readonly large: readonly Large[];
  readonly cold: readonly Cold[];
  readonly money: Money;
}
