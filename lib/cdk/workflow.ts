import { type EventPattern, Match } from 'aws-cdk-lib/aws-events';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IAlias, IVersion } from 'aws-cdk-lib/aws-lambda';
import { type IStateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { WiringError, workflowActions } from 'pawl/deployment';

/**
 * What `startOnce` starts: a state machine, or a version or an alias of a durable function.
 *
 * @example
 * import { Version } from 'aws-cdk-lib/aws-lambda';
 *
 * const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:settle:7';
 * const workflow: StartedWorkflow = Version.fromVersionArn(stack, 'Settle', arn);
 */
export type StartedWorkflow =
  | IStateMachine
  | Pick<IVersion, 'functionArn' | 'version' | 'lambda'>
  | Pick<IAlias, 'functionArn' | 'version' | 'aliasName'>;

/**
 * Permits `grantee` to start executions of `workflow` and to look them up, as `startOnce`, `startExecution` and `waitingExecutions` do. These permissions allow
 * no execution to be stopped or redriven, and no other one to be read.
 *
 * @throws {WiringError} when `workflow` is a function without a version or an alias: Lambda starts no durable execution of it
 * @example
 * import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
 *
 * const settle = StateMachine.fromStateMachineName(stack, 'Settle', 'settle');
 * grantStart(settle, existingFunction);
 */
export function grantStart(workflow: StartedWorkflow, grantee: IGrantable): Grant {
  const problem = workflowProblem(workflow);
  if (problem !== undefined) throw new WiringError('grantStart', [problem]);
  const on = (actions: readonly string[], resourceArn: string) =>
    Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [resourceArn] });
  if (isStateMachine(workflow)) {
    const { start, look } = workflowActions.stateMachine;
    const started = on(start, workflow.stateMachineArn);
    // Its executions have no names, and are not described.
    return isExpress(workflow) ? started : started.combine(workflow.grantExecution(grantee, ...look));
  }
  const { start, list, look } = workflowActions.durableFunction;
  const { functionArn } = functionOf(workflow);
  return on(start, workflow.functionArn)
    .combine(on(list, functionArn))
    .combine(on(look, `${functionArn}:*/durable-execution/*`));
}

/** What is wrong with a value that is to be a workflow. */
export function workflowProblem(workflow: unknown): string | undefined {
  const expected = 'workflow: expected a state machine, or a version or an alias of a durable function';
  if (typeof workflow !== 'object' || workflow === null) return `${expected}; got ${String(workflow)}.`;
  if (
    'stateMachineArn' in workflow ||
    ('functionArn' in workflow && ('aliasName' in workflow || 'version' in workflow))
  )
    return undefined;
  const got = 'functionArn' in workflow ? 'a function: give its alias or its currentVersion' : 'another value';
  return `${expected}; got ${got}.`;
}

/** The events of the ends of its executions. */
export function endsOf(workflow: StartedWorkflow): EventPattern {
  if (isStateMachine(workflow)) {
    return {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: {
        stateMachineArn: [workflow.stateMachineArn],
        status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'],
      },
    };
  }
  return {
    source: ['aws.lambda'],
    detailType: ['Durable Execution Status Change'],
    detail: {
      // Of the version that ran.
      functionArn: Match.prefix(`${functionOf(workflow).functionArn}:`),
      status: ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'STOPPED'],
    },
  };
}

/** The ARN that the handler gives to `stepFunctions` or to `durableFunctions`. */
export function workflowArn(workflow: StartedWorkflow): string {
  return isStateMachine(workflow) ? workflow.stateMachineArn : workflow.functionArn;
}

/** Whether nothing tells the end of its executions. Of a state machine that exists elsewhere, that is not known. */
export function isExpress(workflow: StartedWorkflow): boolean {
  return 'stateMachineType' in workflow && workflow.stateMachineType === StateMachineType.EXPRESS;
}

function isStateMachine(workflow: StartedWorkflow): workflow is IStateMachine {
  return 'stateMachineArn' in workflow;
}

function functionOf(workflow: Exclude<StartedWorkflow, IStateMachine>) {
  return 'aliasName' in workflow ? workflow.version.lambda : workflow.lambda;
}
