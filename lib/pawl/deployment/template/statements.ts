import { claimActions, deadLetterActions, lockActions, queueActions, startNeeds } from '../needs.ts';
import type { Settings } from './settings.ts';

/** A permission of the function's role. Each format has its own reference to the resource. */
export interface NeededStatement {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly on: 'table' | 'queue' | 'deadLetterQueue' | { readonly arn: string };
}

/** What the function's role needs, apart from its logs. */
export function neededStatements({ locks, workflow }: Settings): readonly NeededStatement[] {
  return [
    { sid: 'Claims', actions: [...new Set([...claimActions, ...(locks ? lockActions : [])])], on: 'table' },
    { sid: 'Consume', actions: queueActions, on: 'queue' },
    { sid: 'DeadLetters', actions: deadLetterActions, on: 'deadLetterQueue' },
    ...(workflow === undefined ? [] : startNeeds(workflow)).map(({ actions, arn }, index) => ({
      sid: `Workflow${index + 1}`,
      actions,
      on: { arn },
    })),
  ];
}

/** What the function calls on its own log group. */
export const logActions = ['logs:CreateLogStream', 'logs:PutLogEvents'] as const;

/** What each part of a template obeys. */
export const rulesOf = {
  table: ['tableReplicas'],
  tableKey: ['tableKey'],
  timeToLive: ['tableTtl', 'tableGrows'],
  recovery: ['tableRecovery'],
  deletion: ['tableDeletion'],
  deadLetterRetention: ['deadLetterRetention'],
  visibility: ['visibility', 'lease'],
  retention: ['queueRetention', 'claimRetention'],
  redrive: ['deadLetterQueue', 'deadLetterQueueItself', 'deadLetterQueueOther'],
  receives: ['receives'],
  runtime: ['runtime'],
  timeout: ['handlerTimeout'],
  permissions: ['permissionsDenied', 'permissionsBoundary'],
  source: ['oneEventSource', 'oneConsumer', 'eventFilters'],
  batch: ['batch'],
  partialResponses: ['partialResponses'],
  maxConcurrency: ['reservedConcurrency', 'provisionedPollers'],
} as const;
