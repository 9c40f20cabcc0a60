import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type AgeMetric, ageMetrics, type EventMetric } from 'pawl/deployment';

/** The metrics that `metricEvents` of `pawl/observe` makes: one for each type of event, and ages. */
export type ClaimMetric = EventMetric | AgeMetric;

/** How often something happened to the claims of an operation, or how old the oldest of something is, in seconds. */
export function claimMetric(
  metricName: ClaimMetric,
  { operation, namespace }: { readonly operation: string; readonly namespace: string },
  props?: MetricOptions,
): Metric {
  const isAge = Object.values(ageMetrics).some((name) => name === metricName);
  const statistic = isAge ? 'Maximum' : 'Sum';
  return new Metric({ namespace, metricName, dimensionsMap: { operation }, statistic, ...props });
}
