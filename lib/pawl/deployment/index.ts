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
export { type LeadingKey, leadingKeysCondition } from './condition.ts';
export { consumerDefaults, serviceDefaults } from './consumer-defaults.ts';
export { checkEnds } from './doctor/check-ends.ts';
export { checkOutbox } from './doctor/check-outbox.ts';
export { checkScheduled } from './doctor/check-scheduled.ts';
export { checkConsumer } from './doctor/checks.ts';
export type {
  ConsumerFacts,
  EndsFacts,
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
  actsActions,
  deadLetterActions,
  findFunctionActions,
  findStackActions,
  type HandlerNeeds,
  isWorkflow,
  lockActions,
  operateActions,
  operateDeadLetterActions,
  operateIndexActions,
  operateQueueActions,
  outboxActions,
  outboxRelayActions,
  queueActions,
  restoreActions,
  statementActions,
  statementIndexActions,
  taskActions,
  workflowActions,
} from './needs.ts';
export { type AccessDecision, decideAccess, type Policies, permissionProblem, type Statement } from './policy.ts';
export { longestPauseSeconds } from './schedule-pause.ts';
export { type ScheduledTask, scheduledVariable, tasksIn } from './scheduled-task.ts';
export {
  claimsTableDefinition,
  type KeyAttribute,
  openClaims,
  outboxTableDefinition,
  type TableIndex,
} from './table-definition.ts';
export { Noted, noteLines, type Yaml, type YamlMap } from './template/notes.ts';
export { type Format, formats, templateOf } from './template/print.ts';
export type { TemplateOptions } from './template/settings.ts';
export { holdsSecret, listIn, numberIn, type Properties, partOf, truthIn } from './template-values.ts';
export { leastVisibilityOfInstancesSeconds, leastVisibilitySeconds, WiringError, wiringProblems } from './wiring.ts';
export { type EndsRule, isTold, workflowNeeds, workflowVariable } from './wiring-ends.ts';
export { defaultPollers, mostBatchesOfAll, type ProvisionedPollers } from './wiring-polling.ts';
export { type Problem, refusal } from './wiring-problem.ts';
export { handlerDefaults, leastReceives, mostReceives } from './wiring-receives.ts';
export { type ScheduleRule, scheduleProblems, type WatchedMetric, type WatchingAlarm } from './wiring-schedules.ts';
export { type OpenIndex, type RestoreMark, type TableWiring, type TimeToLive, tableProblems } from './wiring-table.ts';
