import type { CloudWatchClient, Metric, MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { WatchedMetric, WatchingAlarm } from 'pawl/deployment';
import type { ClientConfig } from '../client-config.ts';
import { orUndefined } from './or-undefined.ts';

/** The clients that nothing but a schedule needs, and the alarms of the region, which are read once. */
export interface Schedules {
  readonly events: EventBridgeClient;
  readonly cloudWatch: CloudWatchClient;
  readonly alarms: readonly WatchingAlarm[] | undefined;
}

/** Both clients are imported here: most stacks have neither a sweep nor statements, and do not need them. */
export async function openSchedules(config: ClientConfig): Promise<Schedules> {
  const [{ EventBridgeClient }, { CloudWatchClient, paginateDescribeAlarms }] = await Promise.all([
    import('@aws-sdk/client-eventbridge'),
    import('@aws-sdk/client-cloudwatch'),
  ]);
  const cloudWatch = new CloudWatchClient(config);
  const alarms = await orUndefined(async () => {
    const found: WatchingAlarm[] = [];
    for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client: cloudWatch }, {})) {
      found.push(...MetricAlarms.map(watchingAlarm));
    }
    return found;
  });
  return { events: new EventBridgeClient(config), cloudWatch, alarms };
}

function watchingAlarm(alarm: MetricAlarm): WatchingAlarm {
  const { AlarmName: name = '', ComparisonOperator = '', TreatMissingData, Metrics = [] } = alarm;
  const inExpression = Metrics.flatMap(({ MetricStat }) =>
    MetricStat?.Metric === undefined ? [] : [MetricStat.Metric],
  );
  return {
    name,
    goesOffBelow: ComparisonOperator.startsWith('LessThan'),
    countsGaps: TreatMissingData === 'breaching' || Metrics.some(({ Expression }) => Expression?.includes('FILL(')),
    metrics: [alarm, ...inExpression].map(watchedMetric),
  };
}

function watchedMetric({ Namespace, MetricName, Dimensions = [] }: Metric): WatchedMetric {
  const dimensions = Object.fromEntries(Dimensions.map(({ Name = '', Value = '' }) => [Name, Value]));
  return { namespace: Namespace, name: MetricName, dimensions };
}
