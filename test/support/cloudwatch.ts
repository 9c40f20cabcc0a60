/** CloudWatch, as far as an alarm on one metric goes: samples by time, periods, and "M out of N". */

interface Sample {
  readonly name: string;
  readonly value: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An alarm as a template has it. */
export type AlarmProperties = Readonly<Record<string, unknown>>;

/** The samples in lines of Embedded Metric Format. */
export function samplesIn(lines: readonly string[]): readonly Sample[] {
  return lines.flatMap((line) => {
    const { _aws, ...values } = JSON.parse(line);
    const { Timestamp, CloudWatchMetrics } = _aws;
    return CloudWatchMetrics.flatMap(({ Metrics }: { Metrics: readonly { Name: string }[] }) =>
      Metrics.map(({ Name }) => ({ name: Name, value: Number(values[Name]), at: Number(Timestamp) })),
    );
  });
}

/** When an alarm is in alarm, at the end of each period since the first sample, in epoch milliseconds. A period without a sample breaches nothing. */
export function inAlarmAt(alarm: AlarmProperties, samples: readonly Sample[]): readonly number[] {
  const { MetricName, Period, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold, Statistic } = alarm;
  if (Statistic !== 'Maximum' || alarm['TreatMissingData'] !== 'notBreaching') throw new Error('not simulated');
  const periodMs = Number(Period) * 1000;
  const own = samples.filter(({ name }) => name === MetricName);
  const breached = new Set(
    own.filter(({ value }) => value >= Number(Threshold)).map(({ at }) => Math.floor(at / periodMs)),
  );
  const [first = 0, last = 0] = [Math.min, Math.max].map((of) => of(...own.map(({ at }) => Math.floor(at / periodMs))));
  const periods = Array.from({ length: last - first + 1 + Number(EvaluationPeriods) }, (_, index) => first + index);
  return periods
    .filter((period) => {
      const window = Array.from({ length: Number(EvaluationPeriods) }, (_, back) => period - back);
      return window.filter((one) => breached.has(one)).length >= Number(DatapointsToAlarm);
    })
    .map((period) => (period + 1) * periodMs);
}

/** A message of a standard queue that has not been deleted. */
export interface Undeleted {
  readonly sentAt: number;
  readonly receives: number;
}

/**
 * `ApproximateAgeOfOldestMessage` of a standard queue, as AWS documents it: a message that was received three times or more goes to the back of the queue, and
 * the metric is about the next one that was not. There is no sample while there is no such message.
 */
export function approximateAgeOfOldestMessage(messages: readonly Undeleted[], at: number): readonly Sample[] {
  const counted = messages.filter(({ receives }) => receives < 3);
  if (counted.length === 0) return [];
  const value = (at - Math.min(...counted.map(({ sentAt }) => sentAt))) / 1000;
  return [{ name: 'ApproximateAgeOfOldestMessage', value, at }];
}
