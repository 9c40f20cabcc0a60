import type { CloudWatchClient, CloudWatchClientConfig } from '@aws-sdk/client-cloudwatch';
import type { EventMetric } from 'pawl/deployment';
import { lineOf, propertyOf, recordedError } from 'pawl/kernel';
import { type Counted, countedKinds, type History } from './api.ts';
import { emptySeries, type HistorySource, noHistory } from './history.ts';

/** The metrics of `metricEvents` that a series adds up. */
const metricsOf: Readonly<Record<Counted, readonly EventMetric[]>> = {
  done: ['Completed'],
  suppressed: ['Replayed', 'Repeated'],
  'taken-over': ['TakenOver'],
  parked: ['Parked'],
};

const periodSeconds = 300;
/** Three hours. */
const periods = 36;
/** AWS charges for each metric that is read, and no point is newer than this. */
const keepMs = 60_000;
/** CloudWatch takes 500 queries in one call. */
const mostOperations = 100;

/** The client of CloudWatch is an optional peer. */
type CloudWatch = typeof import('@aws-sdk/client-cloudwatch');

/**
 * What the consumers' metrics say of the last three hours. If CloudWatch refuses, or has none, or its client is not installed, the page says so.
 *
 * Needs permission for: cloudwatch:ListMetrics and GetMetricData.
 */
export async function cloudWatchHistory({
  config,
  namespace,
  now = Date.now,
}: {
  readonly config: CloudWatchClientConfig;
  /** The `namespace` of `metricEvents`. */
  readonly namespace: string;
  readonly now?: () => number;
}): Promise<HistorySource> {
  let sdk: CloudWatch;
  try {
    sdk = await import('@aws-sdk/client-cloudwatch');
  } catch (error) {
    if (propertyOf(error, 'code') !== 'ERR_MODULE_NOT_FOUND') throw error;
    return noHistory('Install @aws-sdk/client-cloudwatch to read the metrics of the consumers.');
  }
  return historyOf({ sdk, client: new sdk.CloudWatchClient(config), namespace, now });
}

/** Of the metrics that this client finds. */
export function historyOf({
  sdk: { GetMetricDataCommand, ListMetricsCommand },
  client,
  namespace,
  now,
}: {
  readonly sdk: Pick<CloudWatch, 'GetMetricDataCommand' | 'ListMetricsCommand'>;
  readonly client: CloudWatchClient;
  readonly namespace: string;
  readonly now: () => number;
}): HistorySource {
  let kept: { readonly at: number; readonly history: Promise<History> } | undefined;

  async function operations(): Promise<readonly string[]> {
    const found = new Set<string>();
    let NextToken: string | undefined;
    do {
      const page = await client.send(
        new ListMetricsCommand({ Namespace: namespace, RecentlyActive: 'PT3H', NextToken }),
      );
      for (const { Dimensions = [] } of page.Metrics ?? []) {
        const [dimension, ...more] = Dimensions;
        if (dimension?.Name === 'operation' && dimension.Value !== undefined && more.length === 0)
          found.add(dimension.Value);
      }
      NextToken = page.NextToken;
    } while (NextToken !== undefined && found.size < mostOperations);
    return [...found].slice(0, mostOperations);
  }

  async function readNow(): Promise<History> {
    const periodMs = periodSeconds * 1000;
    const end = Math.ceil(now() / periodMs) * periodMs;
    const from = end - periods * periodMs;
    const none: History = { source: 'none', why: undefined, from, periodMs, series: emptySeries() };
    try {
      const all = await operations();
      if (all.length === 0) return { ...none, why: `CloudWatch has no metrics in the namespace ${namespace}.` };
      const series = emptySeries();
      for (const counted of countedKinds) series[counted] = await sums(all, metricsOf[counted], from, end);
      return { source: 'CloudWatch', why: undefined, from, periodMs, series };
    } catch (error) {
      return { ...none, why: `CloudWatch was asked. ${lineOf(recordedError(error))}` };
    }
  }

  async function sums(all: readonly string[], names: readonly string[], from: number, end: number): Promise<number[]> {
    const sum = Array.from({ length: periods }, () => 0);
    const metrics = all.flatMap((operation) => names.map((MetricName) => ({ operation, MetricName })));
    let NextToken: string | undefined;
    do {
      const page = await client.send(
        new GetMetricDataCommand({
          StartTime: new Date(from),
          EndTime: new Date(end),
          NextToken,
          MetricDataQueries: metrics.map(({ operation, MetricName }, index) => ({
            Id: `m${index}`,
            MetricStat: {
              Metric: { Namespace: namespace, MetricName, Dimensions: [{ Name: 'operation', Value: operation }] },
              Period: periodSeconds,
              Stat: 'Sum',
            },
          })),
        }),
      );
      for (const { Timestamps = [], Values = [] } of page.MetricDataResults ?? []) {
        for (const [index, time] of Timestamps.entries()) {
          const period = Math.floor((time.getTime() - from) / (periodSeconds * 1000));
          if (period >= 0 && period < periods) sum[period] = (sum[period] ?? 0) + (Values[index] ?? 0);
        }
      }
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return sum;
  }

  return {
    read() {
      if (kept === undefined || now() - kept.at > keepMs) kept = { at: now(), history: readNow() };
      return kept.history;
    },
  };
}
