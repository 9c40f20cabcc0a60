import type { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Alias, type IFunction, Version } from 'aws-cdk-lib/aws-lambda';
import { DefinitionBody, Pass, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, test } from 'vitest';
import {
  ClaimsTable,
  ExecutionEnds,
  type ExecutionEndsProps,
  grantStart,
  OpenClaimsSweep,
  type StartedWorkflow,
} from '../../lib/cdk/index.ts';
import { claimActions, workflowActions } from '../../lib/pawl/deployment/needs.ts';
import { matchesPattern } from '../../lib/rehearsal/engine/event-pattern.ts';
import { type DurableExecution, durable, durableEvent } from '../support/durable-functions.ts';
import { endOf, machines, type StandInExecution } from '../support/step-functions.ts';
import { addExisting, emptyStack, entryFile, lockFile, permissions } from './support.ts';

const machine = (stack: Stack): StartedWorkflow => StateMachine.fromStateMachineArn(stack, 'Settle', machines.standard);
const version = (stack: Stack) => Version.fromVersionArn(stack, 'Seven', `${durable.unqualified}:7`);
const alias = (stack: Stack): StartedWorkflow =>
  Alias.fromAliasAttributes(stack, 'Live', { aliasName: 'live', aliasVersion: version(stack) });

const stateMachine = [
  { actions: workflowActions.stateMachine.start, resource: machines.standard },
  {
    actions: workflowActions.stateMachine.look,
    resource: `${machines.standard.replace(':stateMachine:', ':execution:')}:*`,
  },
];
const { start, list, look } = workflowActions.durableFunction;
const ofDurable = (started: string) => [
  { actions: start, resource: started },
  { actions: list, resource: durable.unqualified },
  { actions: look, resource: `${durable.unqualified}:*/durable-execution/*` },
];

function synthesize(workflow: (stack: Stack) => StartedWorkflow, props: Partial<ExecutionEndsProps> = {}): Template {
  const stack = emptyStack('eu-west-1', '123456789012');
  const made = { entry: entryFile, depsLockFilePath: lockFile, claimsTable: new ClaimsTable(stack, 'Claims').table };
  const sweep = new OpenClaimsSweep(stack, 'Sweep', made).function;
  new ExecutionEnds(stack, 'Ends', { ...made, workflow: workflow(stack), sweep, ...props });
  return Template.fromStack(stack);
}

/** What the roles of a template may do to a workflow. */
const ofWorkflow = (template: Template) =>
  permissions(template)
    .filter(({ actions }) => actions.some((one) => /^(states|lambda):/.test(one)))
    .map(({ actions, resource }) => ({ actions, resource: textOf(resource) }));

/** An ARN, in the partition `aws`. */
function textOf(resource: unknown): unknown {
  const { 'Fn::Join': join } = Object(resource) as { 'Fn::Join'?: [string, unknown[]] };
  return join?.[1].map((part) => (typeof part === 'string' ? part : 'aws')).join(join[0]) ?? resource;
}

describe('grantStart', () => {
  test.each([
    ['a state machine', machine, stateMachine],
    ['an alias of a durable function', alias, ofDurable(durable.alias)],
    ['a version of a durable function', version, ofDurable(`${durable.unqualified}:7`)],
  ] as const)('permits to start and to look up executions of %s, and nothing else', (_, workflow, expected) => {
    const stack = emptyStack('eu-west-1', '123456789012');
    grantStart(workflow(stack), addExisting(stack).function);
    expect(ofWorkflow(Template.fromStack(stack))).toEqual(expected);
  });

  test('permits to start an express workflow, whose executions are not described', () => {
    const stack = emptyStack();
    grantStart(express(stack), addExisting(stack).function);
    expect(ofWorkflow(Template.fromStack(stack)).flatMap(({ actions }) => actions)).toEqual(['states:StartExecution']);
  });

  test('refuses a function without a version: Lambda starts no durable execution of it', () => {
    const stack = emptyStack();
    const { function: plain } = addExisting(stack);
    expect(() => grantStart(plain as unknown as StartedWorkflow, plain)).toThrow(
      'got a function: give its alias or its currentVersion',
    );
  });
});

const express = (stack: Stack): StartedWorkflow =>
  new StateMachine(stack, 'Notify', {
    definitionBody: DefinitionBody.fromChainable(new Pass(stack, 'Done')),
    stateMachineType: StateMachineType.EXPRESS,
  });

describe('ExecutionEnds', () => {
  const template = synthesize(machine);

  test('permits its function and the sweep to start and to look up executions, and its function to settle claims', () => {
    expect(ofWorkflow(template)).toEqual([...stateMachine, ...stateMachine]);
    expect(permissions(template).map(({ actions }) => actions)).toContainEqual([...claimActions]);
  });

  test('is told the ends of the executions of its workflow, and neither their beginning nor those of another one', () => {
    const execution = { executionArn: '', name: 'a-1', input: '{}', startDate: 0, status: 'RUNNING' } as const;
    const ofMachine = (status: Parameters<typeof endOf>[1], stateMachineArn: string = machines.standard) => {
      const event = endOf(execution satisfies StandInExecution, status);
      return { ...event, detail: { ...event.detail, stateMachineArn } };
    };
    const pattern = patternOf(template);
    for (const status of ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const)
      expect(matchesPattern(pattern, ofMachine(status))).toBe(true);
    expect(matchesPattern(pattern, ofMachine('SUCCEEDED', `${machines.standard}-other`))).toBe(false);
    expect(matchesPattern(pattern, { ...ofMachine('FAILED'), detail: { status: 'RUNNING' } })).toBe(false);
  });

  test('is told the ends of durable executions, of whatever version, and of no function that begins alike', () => {
    const pattern = patternOf(synthesize(alias));
    const execution: DurableExecution = { arn: 'arn', name: 'a-1', input: '{}', startedAt: 0, status: 'RUNNING' };
    for (const status of ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'STOPPED'] as const)
      expect(matchesPattern(pattern, durableEvent(execution, status))).toBe(true);
    expect(matchesPattern(pattern, durableEvent(execution, 'RUNNING'))).toBe(false);
    const other = durableEvent(execution, 'FAILED');
    const detail = { ...other.detail, functionArn: `${durable.ordinary}:1` };
    expect(matchesPattern(pattern, { ...other, detail })).toBe(false);
  });

  test('keeps an end that could not be told, whether EventBridge or Lambda gave up, and goes off', () => {
    const [queue] = Object.keys(template.findResources('AWS::SQS::Queue'));
    const arn = { 'Fn::GetAtt': [queue, 'Arn'] };
    template.hasResourceProperties('AWS::Events::Rule', {
      Targets: [Match.objectLike({ DeadLetterConfig: { Arn: arn } })],
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Destination: arn } },
    });
    template.hasResourceProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 1_209_600 });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 1,
      AlarmDescription: Match.stringLikeRegexp('could not be told'),
    });
    for (const { Properties } of Object.values(template.findResources('AWS::CloudWatch::Alarm')))
      expect(Properties.AlarmDescription.length).toBeLessThanOrEqual(1024);
  });

  test('gives its function the names of the table and of the workflow', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ WORKFLOW_ARN: machines.standard, CLAIMS_TABLE: Match.anyValue() }) },
    });
  });

  test('refuses an express workflow, whose ends nothing tells', () => {
    expect(() => synthesize(express)).toThrow('expected a standard state machine; got an express one');
  });

  test.each([
    ['no workflow', { workflow: undefined }, 'workflow: expected a state machine'],
    ['no sweep', { sweep: undefined as unknown as IFunction }, 'sweep: expected a function'],
    ['no table', { claimsTable: undefined as unknown as ITable }, 'claimsTable: expected a table'],
    ['a table of its own', { environment: { CLAIMS_TABLE: 'other' } }, 'CLAIMS_TABLE'],
    ['a workflow of its own', { environment: { WORKFLOW_ARN: 'other' } }, 'WORKFLOW_ARN'],
  ])('refuses %s', (_, props, said) => {
    expect(() => synthesize(machine, props as unknown as Partial<ExecutionEndsProps>)).toThrow(said);
  });
});

/** The pattern of the rule that tells ends. */
function patternOf(template: Template): Record<string, unknown> {
  const patterns = Object.values(template.findResources('AWS::Events::Rule')).map(
    (one) => one['Properties'].EventPattern,
  );
  return patterns.find((pattern) => pattern !== undefined);
}
