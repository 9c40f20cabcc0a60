import { metricNamespace } from '../kernel/defaults.ts';

/** What a run of the sweep did. Numbers of messages, unless a member says otherwise. */
export interface OutboxReport {
  /** Old enough to be looked at. */
  readonly looked: number;
  /** Sent by this run. */
  readonly sent: number;
  /** Parked by this run: their destination refuses them for good. */
  readonly parked: number;
  /** Lanes that wait for an operator, behind a message that was parked earlier. */
  readonly alreadyParked: number;
  /** Lanes that wait for a later run: their destination could not be reached, or no time was left. */
  readonly left: number;
  /** The age of the oldest message that this run has left, in milliseconds. 0 if it has left none. */
  readonly oldestMs: number;
  /** Whether the run came to the end of the table. If not, the next one of this process goes on from there. */
  readonly reachedEnd: boolean;
}

/** A report while it is counted. */
export type Counting = { -readonly [Name in keyof OutboxReport]: OutboxReport[Name] };

export const noReport = (): Counting => ({
  looked: 0,
  sent: 0,
  parked: 0,
  alreadyParked: 0,
  left: 0,
  oldestMs: 0,
  reachedEnd: false,
});

/** The metrics of a sweep, by the name of its function. Set alarms on the first two. */
export function metricLine(
  { looked, sent, parked, alreadyParked, left, oldestMs, reachedEnd }: OutboxReport,
  functionName: string,
  at: number,
): string {
  const metrics = {
    OutboxOldestSeconds: Math.round(oldestMs / 1000),
    OutboxParked: parked + alreadyParked,
    OutboxSwept: sent,
    OutboxLeft: left,
  };
  const Metrics = Object.keys(metrics).map((Name) => ({
    Name,
    Unit: Name === 'OutboxOldestSeconds' ? 'Seconds' : 'Count',
  }));
  const CloudWatchMetrics = [{ Namespace: metricNamespace, Dimensions: [['function']], Metrics }];
  const facts = { pawl: 'outbox-swept', looked, reachedEnd };
  return JSON.stringify({ _aws: { Timestamp: at, CloudWatchMetrics }, function: functionName, ...metrics, ...facts });
}
