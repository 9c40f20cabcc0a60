import {
  type Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

interface AlarmOptions {
  readonly threshold: number;
  /** @default 1 */
  readonly evaluationPeriods?: number;
  /** What it means and what to do; CloudWatch takes 1,024 characters. */
  readonly description: string;
}

/** An alarm as soon as `metric` reaches the threshold. No data is no problem: these metrics exist only while something happens. */
export function alarmAt(scope: Construct, id: string, metric: Metric, options: AlarmOptions): Alarm {
  return metric.createAlarm(scope, id, {
    threshold: options.threshold,
    evaluationPeriods: options.evaluationPeriods ?? 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: options.description,
  });
}

/** Lets each of the alarms call each of the actions. */
export function actOn(alarms: readonly (Alarm | undefined)[], actions: readonly IAlarmAction[]): void {
  for (const alarm of alarms) alarm?.addAlarmAction(...actions);
}
