import { unqualified } from './arn.ts';
import type { ScheduledTask } from './scheduled-task.ts';
import type { RestoreMark } from './wiring-table.ts';

/** What a consumer's role must be permitted. This file imports no CDK, so that `pawl doctor` can check a deployed role by it. */

/** What `dynamoStore` calls: a batch of claims is one `BatchExecuteStatement`, which IAM knows as its statements. */
export const storeActions = [
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
] as const;

/** What `individualDynamoStore` calls. */
export const individualStoreActions = ['dynamodb:GetItem', 'dynamodb:PutItem'] as const;

/** What a store with `restored: restoredTable` calls besides: it reads the mark, and asks once which table it is in. */
export const restoredStoreActions = ['dynamodb:GetItem', 'dynamodb:DescribeTable'] as const;

/**
 * What a consumer's role may do on the claims table: what the two stores call, and nothing that deletes, scans or queries. What a restored table needs is
 * granted before: after a restore there is no time to find out that it is missing.
 */
export const claimActions: readonly string[] = [
  ...new Set([...storeActions, ...individualStoreActions, ...restoredStoreActions]),
];

/** What `pawl/locks` calls: for locks, for their checks in the caller's transactions, and for the progress of `forEachItem`. */
export const lockActions = [
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:ConditionCheckItem',
] as const;

/** What an operator, and a sweep, needs on the table to read and to resolve a claim, also of a restored table: nothing that makes or deletes one. */
export const operateActions = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PartiQLUpdate',
  'dynamodb:DescribeTable',
] as const;

/** What an operator needs on the table's index of open claims. */
export const operateIndexActions = ['dynamodb:Query'] as const;

/** What an operator needs on a dead-letter queue: to look at its messages, to give them back, to delete those that were redriven, and to find their queue. */
export const operateDeadLetterActions = [
  'sqs:ReceiveMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
  'sqs:DeleteMessage',
  'sqs:ListDeadLetterSourceQueues',
  'sqs:GetQueueUrl',
] as const;

/** What an operator needs on the queue that messages are redriven to. */
export const operateQueueActions = ['sqs:SendMessage', 'sqs:GetQueueUrl'] as const;

/** What `--stack` needs on each function of the stack: the names of its table and of its dead-letter queue are in its variables. */
export const findFunctionActions = ['lambda:GetFunctionConfiguration'] as const;

/** What `--stack` needs on the stack. */
export const findStackActions = ['cloudformation:ListStackResources'] as const;

/**
 * What `reconcileStatements`, `findings` and `settleFindings` call on the table: they read claims, mark and complete them, and keep notes; and ask which table
 * it is, if it was restored. While the table throttles, a claim of `settleFindings` is a statement.
 */
export const statementActions = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:DescribeTable',
] as const;

/** What they call on the table's index of open claims, which keeps the claims that no statement has confirmed. */
export const statementIndexActions = ['dynamodb:Query'] as const;

/** What `pawl restored` calls, to mark a table that was restored, to correct the mark and to lift it. And what a decision on a key without a record calls. */
export const restoreActions = [
  'dynamodb:GetItem',
  'dynamodb:DescribeTable',
  'dynamodb:PutItem',
  'dynamodb:PartiQLInsert',
] as const;

/** What `pawl acts` calls: it reads the whole table. */
export const actsActions = ['dynamodb:Scan', 'dynamodb:GetItem', 'dynamodb:DescribeTable'] as const;

/** What a worker calls on the table of its outbox: it reads and moves the counter of a group, writes messages, and removes or parks what it has sent. */
export const outboxActions = [
  'dynamodb:Query',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:PartiQLDelete',
  'dynamodb:PartiQLUpdate',
] as const;

/** What a relay, a sweep and an operator call on the table of an outbox: they list what lies there, and remove or park it. Nothing that makes a message. */
export const outboxRelayActions = [
  'dynamodb:Query',
  'dynamodb:Scan',
  'dynamodb:PartiQLDelete',
  'dynamodb:PartiQLUpdate',
] as const;

/** What starts an execution, and what looks one up: `startOnce` with names, `executionEnded`, and a sweep of `waitingExecutions`. */
export const workflowActions = {
  stateMachine: { start: ['states:StartExecution'], look: ['states:DescribeExecution'] },
  durableFunction: {
    start: ['lambda:InvokeFunction'],
    list: ['lambda:ListDurableExecutionsByFunction'],
    look: ['lambda:GetDurableExecution'],
  },
} as const;

/** Actions, and what they are on. */
export interface OnArn {
  readonly actions: readonly string[];
  readonly arn: string;
}

const workflowPattern = /^arn:[\w-]+:(states:[^:]*:[^:]*:stateMachine:[^:]+|lambda:[^:]*:[^:]*:function:[^:]+:[^:]+)$/;

/** Whether an ARN is that of a state machine, or of a function with its alias or version. */
export function isWorkflow(arn: string): boolean {
  return workflowPattern.test(arn);
}

/** What a role needs to start executions of a workflow, and to look them up. */
export function startNeeds(arn: string): readonly OnArn[] {
  if (arn.split(':')[2] === 'states') {
    const { start, look } = workflowActions.stateMachine;
    return [
      { actions: start, arn },
      { actions: look, arn: `${arn.replace(':stateMachine:', ':execution:')}:*` },
    ];
  }
  const { start, list, look } = workflowActions.durableFunction;
  const ofFunction = unqualified(arn);
  return [
    { actions: start, arn },
    { actions: list, arn: ofFunction },
    { actions: look, arn: `${ofFunction}:*/durable-execution/*` },
  ];
}

/** What Lambda calls on the queue with the function's role, and what pawl calls to defer a message. */
export const queueActions = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
] as const;

/** What pawl calls to dead-letter a message that can never run. */
export const deadLetterActions = ['sqs:SendMessage'] as const;

/** What the handlers use, which no API shows. */
export interface HandlerNeeds {
  /**
   * Whether the handlers use `individualDynamoStore`, which needs other permissions than `dynamoStore`.
   * @default false
   */
  readonly individualStore?: boolean | undefined;
  /**
   * Whether the handlers use `pawl/locks` on the claims table, which needs permissions of its own.
   * @default false
   */
  readonly locks?: boolean | undefined;
  /**
   * The operations of the handlers. A role that is limited to some is checked by them.
   * @default - not known
   */
  readonly operations?: readonly string[] | undefined;
}

/** What the handlers call on the claims table. */
export function tableActions({ individualStore, locks }: HandlerNeeds, mark?: RestoreMark): readonly string[] {
  const needed: readonly string[] = [
    ...(individualStore === true ? individualStoreActions : storeActions),
    ...markActions(mark),
    ...(locks === true ? lockActions : []),
  ];
  return [...new Set(needed)];
}

/** What a store calls that looks at the mark of its table. */
export function markActions(mark: RestoreMark | undefined): readonly string[] {
  return mark?.kind === 'stands' || mark?.kind === 'of-an-earlier-table' ? restoredStoreActions : [];
}

/** What the function of these tasks calls on the table, and on its index of open claims. */
export function taskActions(tasks: readonly ScheduledTask[]): Readonly<Record<'table' | 'index', readonly string[]>> {
  const needed = (sweep: readonly string[], statements: readonly string[]) => [
    ...new Set(tasks.flatMap(({ kind }) => (kind === 'sweep' ? sweep : statements))),
  ];
  return {
    table: needed(operateActions, statementActions),
    index: needed(operateIndexActions, statementIndexActions),
  };
}
