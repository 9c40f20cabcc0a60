import { metricNamespace } from '../kernel/defaults.ts';
/** What a run of the sweep did. Numbers of claims, unless a member says otherwise. */
export interface SweepReport {
  /** Read from the index of open claims. */
  readonly looked: number;
  /** The provider says that the effect happened: completed. Where steps were in doubt, that all of them happened: released, for the steps behind them. */
  readonly applied: number;
  /** The provider says that it did not, or that one of the steps in doubt did not: released, and nothing of it is in doubt. */
  readonly notApplied: number;
  /** The provider could not say yet, or was asked too early. They stay in doubt. */
  readonly inconclusive: number;
  /** Parked by this run. */
  readonly parked: number;
  /** Parked before. They wait for an operator. */
  readonly alreadyParked: number;
  /** A worker's lease runs, or an execution that a claim waits for. */
  readonly held: number;
  /** In doubt, and left for a later run: "not applied" would not be believed yet, or the provider was asked a short time ago. */
  readonly tooEarly: number;
  /** In doubt, and of an operation that the sweep has nothing for. */
  readonly notRegistered: number;
  /** Settled by another worker before this run came to it. */
  readonly settledMeanwhile: number;
  /** The store failed, or another worker took the claim over. A later run looks at them again. */
  readonly failed: number;
  /** The age of the oldest doubt that this run has left, in milliseconds. 0 if it has left none. Parked claims do not count. */
  readonly oldestInDoubtMs: number;
  /** The age of the oldest claim that this run has left open, parked ones as well, in milliseconds since it was first seen. 0 if it has left none. */
  readonly oldestOpenMs: number;
  /** How long the holder of the oldest kept lock has had its resources, in milliseconds; 0 if none is kept. Only with the option `locks`. */
  readonly oldestKeptLockMs?: number | undefined;
  /** Whether the run came to the end of the list. If not, the next one of this process goes on from there. */
  readonly reachedEnd: boolean;
}

/** A report while it is counted. */
export type Counting = { -readonly [Name in keyof SweepReport]: SweepReport[Name] };

/** What became of one claim: the count of the report that it belongs to. */
export type SweptClaim = keyof Pick<
  SweepReport,
  | 'applied'
  | 'notApplied'
  | 'inconclusive'
  | 'parked'
  | 'alreadyParked'
  | 'held'
  | 'tooEarly'
  | 'notRegistered'
  | 'settledMeanwhile'
  | 'failed'
>;

export const noReport = (): Counting => ({
  looked: 0,
  applied: 0,
  notApplied: 0,
  inconclusive: 0,
  parked: 0,
  alreadyParked: 0,
  held: 0,
  tooEarly: 0,
  notRegistered: 0,
  settledMeanwhile: 0,
  failed: 0,
  oldestInDoubtMs: 0,
  oldestOpenMs: 0,
  reachedEnd: false,
});

/** The counts that leave a claim in doubt. */
const leftInDoubt: readonly SweptClaim[] = ['inconclusive', 'tooEarly', 'notRegistered', 'failed'];

/** The counts that leave a claim open. One that a worker holds is at work, and no longer open when that ends well. */
const leftOpen: readonly SweptClaim[] = [...leftInDoubt, 'parked', 'alreadyParked'];

/** How old a claim is, in milliseconds. */
export interface Ages {
  readonly inDoubtForMs: number;
  readonly openForMs: number;
}

/** Counts one claim. */
export function count(report: Counting, swept: SweptClaim, { inDoubtForMs, openForMs }: Ages): void {
  report[swept]++;
  if (leftInDoubt.includes(swept)) report.oldestInDoubtMs = Math.max(report.oldestInDoubtMs, inDoubtForMs);
  if (leftOpen.includes(swept)) report.oldestOpenMs = Math.max(report.oldestOpenMs, openForMs);
}

/** The metrics of a sweep, by the name of its function. The construct `OpenClaimsSweep` has its alarm on the first. */
export function metricLine(report: SweepReport, functionName: string, at: number): string {
  const { oldestInDoubtMs, looked, applied, notApplied, inconclusive, parked, failed, notRegistered } = report;
  const metrics = {
    SweepOldestInDoubtSeconds: Math.round(oldestInDoubtMs / 1000),
    SweepOldestOpenSeconds: Math.round(report.oldestOpenMs / 1000),
    ...(report.oldestKeptLockMs === undefined
      ? {}
      : { SweepOldestKeptLockSeconds: Math.round(report.oldestKeptLockMs / 1000) }),
    SweepSettled: applied + notApplied,
    SweepInconclusive: inconclusive,
    SweepParked: parked,
    SweepFailed: failed,
    SweepNotRegistered: notRegistered,
  };
  const Metrics = Object.keys(metrics).map((Name) => ({
    Name,
    Unit: Name.endsWith('Seconds') ? 'Seconds' : 'Count',
  }));
  const CloudWatchMetrics = [{ Namespace: metricNamespace, Dimensions: [['function']], Metrics }];
  const facts = { pawl: 'swept', looked, reachedEnd: report.reachedEnd };
  return JSON.stringify({ _aws: { Timestamp: at, CloudWatchMetrics }, function: functionName, ...metrics, ...facts });
}
