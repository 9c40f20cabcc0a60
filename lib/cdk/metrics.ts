import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventMetric } from 'pawl/deployment';

/** The metrics that `metricEvents` of `pawl/observe` makes: one for each type of event. */
export type ClaimMetric = EventMetric;

/** How often something happened to the claims of an operation. */
export function claimMetric(
  metricName: ClaimMetric,
  { operation, namespace }: { readonly operation: string; readonly namespace: string },
  props?: MetricOptions,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap: { operation }, statistic: 'Sum', ...props });
}
