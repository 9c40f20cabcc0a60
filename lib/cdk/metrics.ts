import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';

/** The metrics that `metricEvents` of `pawl/observe` makes: one for each type of event. */
export type ClaimMetric =
  | 'Granted'
  | 'TakenOver'
  | 'Replayed'
  | 'InFlight'
  | 'StillParked'
  | 'KeyReused'
  | 'Completed'
  | 'Released'
  | 'Rejected'
  | 'Parked'
  | 'StaleClaim'
  | 'CompletionLost'
  | 'OutcomeLost'
  | 'NotStarted'
  | 'ResultNotRecorded'
  | 'FailedAfterEffect'
  | 'StepFailed'
  | 'StoreUnavailable'
  | 'Reconciled'
  | 'StatementClean'
  | 'StatementFindings'
  | 'Deferred'
  | 'Repeated'
  | 'DeadLettered'
  | 'Undeliverable'
  | 'AuthorError'
  | 'PayloadUnavailable'
  | 'AnswerNotUnderstood'
  | 'LateAnswer'
  | 'RequestRefused'
  | 'QueueCallFailed';

/** How often something happened to the claims of an operation. */
export function claimMetric(
  metricName: ClaimMetric,
  { operation, namespace }: { readonly operation: string; readonly namespace: string },
  props?: MetricOptions,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap: { operation }, statistic: 'Sum', ...props });
}
