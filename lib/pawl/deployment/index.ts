/*
 * What is known about a deployment before it runs: facts, rules, needed permissions, the doctor's checks, templates, defaults. The constructs, the
 * command line and the rehearsal use it through this file. It imports no CDK, no client of AWS and no runtime, and no function bundles it.
 */

export { metricNamespace } from '../kernel/defaults.ts';
export { explained } from '../kernel/error-code.ts';
export { type AgeMetric, ageMetrics, type EventMetric, type EventType, metricOf } from '../kernel/event-types.ts';
export { processWide } from '../kernel/process-wide.ts';
export { type NamesOf, type TakenOptions, unknownOptions } from '../kernel/unknown-option.ts';
export { deadLetterUrls, readDeadLetterUrls } from '../sqs/dead-letter-urls.ts';
export { isElsewhere, isSameFunction, unqualified, withoutPartition } from './arn.ts';
export {
  type ClaimRights,
  claimPermissions,
  claimRightsProblems,
  lockPermissions,
  type PermittedOnKeys,
  tableNeeds,
} from './claim-rights.ts';
export { LEADING_KEYS, type LeadingKey } from './condition.ts';
export { CONSUMER_DEFAULTS, SERVICE_DEFAULTS } from './consumer-defaults.ts';
export { checkOutbox } from './doctor/check-outbox.ts';
export { checkScheduled } from './doctor/check-scheduled.ts';
export { checkConsumer } from './doctor/checks.ts';
export type {
  ConsumerFacts,
  EventSourceFacts,
  OutboxFacts,
  Permission,
  QueueFacts,
  ScheduledFacts,
  TableFacts,
} from './doctor/facts.ts';
export type { Finding, Level } from './doctor/finding.ts';
export { evaluate, functionOf, holds, type Known, noValue, textOf } from './evaluate.ts';
export {
  DEAD_LETTER_ACTIONS,
  FIND_FUNCTION_ACTIONS,
  FIND_STACK_ACTIONS,
  type HandlerNeeds,
  LOCK_ACTIONS,
  OPERATE_ACTIONS,
  OPERATE_DEAD_LETTER_ACTIONS,
  OPERATE_INDEX_ACTIONS,
  OPERATE_QUEUE_ACTIONS,
  OUTBOX_ACTIONS,
  OUTBOX_RELAY_ACTIONS,
  QUEUE_ACTIONS,
  RESTORE_ACTIONS,
  STATEMENT_ACTIONS,
  STATEMENT_INDEX_ACTIONS,
  STORE_ACTIONS,
  taskActions,
} from './needs.ts';
export { type AccessDecision, decideAccess, type Policies, permissionProblem, type Statement } from './policy.ts';
export { SCHEDULED_VARIABLE, type ScheduledTask, tasksIn } from './scheduled-task.ts';
export { CLAIMS_TABLE, type KeyAttribute, OPEN_CLAIMS, OUTBOX_TABLE, type TableIndex } from './table-definition.ts';
export { Noted, noteLines, type Yaml, type YamlMap } from './template/notes.ts';
export { FORMATS, type Format, templateOf } from './template/print.ts';
export type { TemplateOptions } from './template/settings.ts';
export { holdsSecret, listIn, numberIn, type Properties, partOf, truthIn } from './template-values.ts';
export { leastVisibilityOfInstancesSeconds, leastVisibilitySeconds, WiringError, wiringProblems } from './wiring.ts';
export { DEFAULT_POLLERS, mostBatchesOfAll, type ProvisionedPollers } from './wiring-polling.ts';
export { type Problem, refused } from './wiring-problem.ts';
export { HANDLER_DEFAULTS, leastReceives, MOST_RECEIVES } from './wiring-receives.ts';
export { type ScheduleRule, scheduleProblems, type WatchedMetric, type WatchingAlarm } from './wiring-schedules.ts';
export { type OpenIndex, type RestoreMark, type TableWiring, type TimeToLive, tableProblems } from './wiring-table.ts';
