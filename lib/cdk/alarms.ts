import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Schedule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { longestPauseSeconds } from 'pawl/deployment';

interface AlarmOptions {
  readonly threshold: number;
  /** @default 1 */
  readonly evaluationPeriods?: number;
  /** In how many of the periods the threshold has to be reached. @default all */
  readonly datapointsToAlarm?: number;
  /** What it means and what to do, in at most 1,024 characters, which is CloudWatch's limit. */
  readonly description: string;
}

/** An alarm that goes off as soon as `metric` reaches the threshold. Missing data is no problem: these metrics exist only while something happens. */
export function alarmAt(scope: Construct, id: string, metric: Metric, options: AlarmOptions): Alarm {
  return metric.createAlarm(scope, id, {
    threshold: options.threshold,
    evaluationPeriods: options.evaluationPeriods ?? 1,
    ...(options.datapointsToAlarm === undefined ? {} : { datapointsToAlarm: options.datapointsToAlarm }),
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: options.description,
  });
}

/**
 * An alarm that goes off when nothing has run for so long. Missing data is what it looks for.
 *
 * @param hourly counts the runs of an hour
 */
export function silentAlarm(
  scope: Construct,
  hourly: Metric | MathExpression,
  maxSilence: Duration,
  alarmDescription: string,
): Alarm {
  return hourly.createAlarm(scope, 'SilentAlarm', {
    threshold: 1,
    evaluationPeriods: maxSilence.toHours(),
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
    alarmDescription,
  });
}

/** Adds each of the actions to each of the alarms. */
export function actOn(alarms: readonly (Alarm | undefined)[], actions: readonly IAlarmAction[]): void {
  for (const alarm of alarms) alarm?.addAlarmAction(...actions);
}

/**
 * How an alarm looks at what each run of a schedule says anew: it stays until the run that says otherwise. Between two runs there is no data.
 *
 * @param maxSilence how long no run may begin, where the schedule does not say how long none does
 */
export function acrossRuns(schedule: Schedule, maxSilence: Duration) {
  const pause = longestPauseSeconds(schedule.expressionString) ?? maxSilence.toSeconds();
  // CloudWatch looks back for a day in periods below an hour, and for a week in longer ones.
  const [seconds, most] = pause <= 23 * 3600 ? [300, 288] : [3600, 168];
  return {
    period: Duration.seconds(seconds),
    looks: { evaluationPeriods: Math.min(Math.ceil(pause / seconds) + 1, most), datapointsToAlarm: 1 },
  };
}
