import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction, Version } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Consumer, grantStart } from '../../../../lib/cdk/index.ts';
import { templateText } from '../../../../lib/cli/template-text.ts';
import { lockActions } from '../../../../lib/pawl/deployment/needs.ts';
import type { TemplateOptions } from '../../../../lib/pawl/deployment/template/settings.ts';
import { list, record } from '../../../../lib/rehearsal/engine/app/template.ts';
import { addConsumer, type Overrides, permissions } from '../../../cdk/support.ts';

/** Without CDK's own rules about templates, which are not asked here and take seconds to load. */
function plainStack(): Stack {
  return new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');
}

/** What synth refuses of the stack that `build` fills. */
function problemsOf(build: (stack: Stack) => void): readonly string[] {
  const stack = plainStack();
  build(stack);
  return stack.node.findAll().flatMap((construct) => construct.node.validate());
}

/** A reference, in a printed template and in one of CDK, is only there or not: the two name resources differently. */
const reference = '<reference>';

/** The properties of the resources of one type, without what only one of the two says. */
function propertiesIn(resources: unknown, type: string, left: readonly string[] = []): readonly unknown[] {
  return Object.values(record(resources))
    .map(record)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) =>
      Object.fromEntries(Object.entries(record(anonymous(Properties))).filter(([name]) => !left.includes(name))),
    );
}

function anonymous(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(anonymous);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value);
  if (names.length === 1 && (names[0] === 'Ref' || names[0]?.startsWith('Fn::'))) return reference;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, anonymous(one)]));
}

function printedResources(options: TemplateOptions): unknown {
  const customTags = ['!Ref', '!GetAtt', '!Sub'].map((tag) => ({ tag, resolve: () => reference }));
  return record(parse(templateText('cloudformation', options), { customTags }))['Resources'];
}

function actionsOfRole(resources: unknown): readonly unknown[] {
  const [role] = propertiesIn(resources, 'AWS::IAM::Role');
  const [policy] = list(record(role)['Policies']);
  return list(record(record(policy)['PolicyDocument'])['Statement']).flatMap((one) => record(one)['Action']);
}

const types = [
  'AWS::DynamoDB::Table',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Logs::LogGroup',
];

const pairs: readonly (readonly [TemplateOptions, Overrides])[] = [
  [{ fifo: true }, { fifo: true }],
  [
    {
      timeoutSeconds: 60,
      locks: true,
      lockLeaseSeconds: 30,
      batchSize: 200,
      maxBatchingWindowSeconds: 5,
      maxConcurrency: 7,
      concurrency: 2,
      retentionSeconds: 864_000,
    },
    {
      timeout: Duration.seconds(60),
      lockLease: Duration.seconds(30),
      batchSize: 200,
      maxBatchingWindow: Duration.seconds(5),
      maxConcurrency: 7,
      concurrency: 2,
      retentionPeriod: Duration.days(10),
    },
  ],
];

test.each(pairs)('what is printed for %j is what the constructs make', (options, props) => {
  const printed = printedResources(options);
  const stack = plainStack();
  addConsumer(stack, props);
  const template = Template.fromStack(stack);
  const made = template.toJSON()['Resources'];
  for (const type of types) {
    const sorted = (resources: unknown) =>
      propertiesIn(resources, type).toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
    expect(sorted(printed)).toEqual(sorted(made));
  }
  // CDK gives the code and the tags in its own way.
  const ofFunction = (resources: unknown) => propertiesIn(resources, 'AWS::Lambda::Function', ['Code']);
  expect(ofFunction(printed)).toEqual(ofFunction(made));
  // CDK grants the URL of the queue as well, which no consumer asks for. Locks are granted by a call of their own.
  const granted = permissions(template).flatMap(({ actions }) => actions);
  const others = options.locks ? lockActions : [];
  expect(new Set(actionsOfRole(printed))).toEqual(
    new Set([...granted, ...others].filter((action) => action !== 'sqs:GetQueueUrl')),
  );
});

test.each([
  ['a state machine', 'arn:aws:states:us-east-1:123456789012:stateMachine:settle'],
  ['a durable function', 'arn:aws:lambda:us-east-1:123456789012:function:settle:7'],
])('what is printed for %s permits what grantStart permits', (_, workflow) => {
  const stack = plainStack();
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const isMachine = workflow.includes(':states:');
  grantStart(
    isMachine
      ? StateMachine.fromStateMachineArn(stack, 'Settle', workflow)
      : Version.fromVersionArn(stack, 'Settle', workflow),
    role,
  );
  const granted = permissions(Template.fromStack(stack)).flatMap(({ actions }) => actions);
  const started = actionsOfRole(printedResources({ workflow }));
  const others = actionsOfRole(printedResources({}));
  expect(new Set(started.filter((action) => !others.includes(action)))).toEqual(new Set(granted));
});

test('synth accepts what is printed, and refuses it once a number is changed', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-printed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const refusal = (change: (template: string) => string) =>
    problemsOf((stack) => {
      const file = join(folder, 'printed.yaml');
      writeFileSync(file, change(templateText('cloudformation', { name: 'orders' })));
      const parameters = { CodeBucket: 'code', CodeKey: 'code.zip' };
      const include = new CfnInclude(stack, 'Printed', { templateFile: file, parameters });
      const arn = (id: string) => include.getResource(id).getAtt('Arn').toString();
      const role = Role.fromRoleArn(stack, 'ImportedRole', arn('OrdersRole'), { mutable: false });
      const imported = LambdaFunction.fromFunctionAttributes(stack, 'ImportedFunction', {
        functionArn: arn('OrdersFunction'),
        role,
        sameEnvironment: true,
      });
      // The settings of an imported function cannot be seen; those of the included one can.
      imported.node.defaultChild = include.getResource('OrdersFunction');
      new Consumer(stack, 'Work', {
        claimsTable: Table.fromTableArn(stack, 'ImportedTable', arn('ClaimsTable')),
        queue: Queue.fromQueueArn(stack, 'ImportedQueue', arn('OrdersQueue')),
        deadLetterQueue: Queue.fromQueueArn(stack, 'ImportedDeadLetterQueue', arn('OrdersDeadLetterQueue')),
        function: imported,
        createEventSource: false,
      });
    });
  expect(refusal((template) => template)).toEqual([]);
  const changed = (template: string) =>
    template.replace('VisibilityTimeout: 180', 'VisibilityTimeout: 179').replace(/- dynamodb:PartiQLInsert\n\s+/, '');
  expect(refusal(changed)).toEqual([
    expect.stringContaining('visibilityTimeout is 179 s'),
    expect.stringContaining('dynamodb:PartiQLInsert'),
  ]);
});
