import { describe, expect, test } from 'vitest';
import type { Synthesized } from '../../../lib/rehearsal/engine/app/assembly.ts';
import { readApp } from '../../../lib/rehearsal/engine/app/read-app.ts';
import { type FunctionRead, readingOf } from '../../../lib/rehearsal/engine/app/reading.ts';
import type { Template } from '../../../lib/rehearsal/engine/app/template.ts';
import { readFunctions } from '../../../lib/rehearsal/engine/lambda/read-functions.ts';
import type { Stub } from '../../../lib/rehearsal/engine/not-run.ts';
import { services } from '../../../lib/rehearsal/services/registry.ts';

const sqs = {
  address: (name: string) => ({ url: `http://sqs/${name}`, arn: `arn:aws:sqs:us-east-1:000000000000:${name}` }),
};

type Parts = Partial<Template>;

function stack(stackName: string, template: Parts, more: Partial<Synthesized> = {}): Synthesized {
  return { stackName, alsoCalled: [], assets: new Map(), template: { Resources: {}, ...template }, ...more };
}

function read(
  stacks: readonly Synthesized[],
  options: {
    readonly stubs?: Readonly<Record<string, Stub>>;
    readonly parameters?: Readonly<Record<string, unknown>>;
  } = {},
) {
  const app = readApp({ folder: '', stacks, missing: [] }, { sqs, services: services, ...options });
  const resolve = (stackName: string, value: unknown) =>
    app.stacks.find(({ stack: { stackName: name } }) => name === stackName)?.resolver.resolve(value);
  return { app, resolve, listed: app.findings.listed, refused: app.findings.refused };
}

const queue = { Type: 'AWS::SQS::Queue' };

describe('templates that are read together', () => {
  test('a stack imports what another exports, by a name that is made', () => {
    const exporting = stack('A', {
      Resources: { Queue: queue },
      Outputs: { Out: { Value: { Ref: 'Queue' }, Export: { Name: { 'Fn::Sub': `\${AWS::StackName}:Out` } } } },
    });
    const { resolve } = read([exporting, stack('B', {})]);
    expect(resolve('B', { 'Fn::ImportValue': 'A:Out' })).toBe('http://sqs/A-Queue');
    expect(() => resolve('B', { 'Fn::ImportValue': 'A:None' })).toThrow('A:None, which no stack of the app exports');
  });

  test('a nested stack gets its parameters from the stack around it, which reads its outputs', () => {
    const outer = stack('A', {
      Resources: {
        Queue: queue,
        Nested: { Type: 'AWS::CloudFormation::Stack', Properties: { Parameters: { Given: { Ref: 'Queue' } } } },
      },
    });
    const nested = stack(
      'A-Nested',
      {
        Parameters: { Given: { Type: 'String' } },
        Resources: { Inner: queue },
        Outputs: { Inner: { Value: { Ref: 'Inner' } } },
      },
      { nestedIn: { stackName: 'A', logicalId: 'Nested' } },
    );
    const { resolve } = read([outer, nested]);
    expect(resolve('A-Nested', { Ref: 'Given' })).toBe('http://sqs/A-Queue');
    expect(resolve('A', { 'Fn::GetAtt': ['Nested', 'Outputs.Inner'] })).toBe('http://sqs/A-Nested-Inner');
    expect(() => resolve('A', { 'Fn::GetAtt': ['Nested', 'Outputs.None'] })).toThrow('Nested.Outputs.None');
  });

  test('a condition leaves a resource out, and a value without value is left out', () => {
    const { app, resolve } = read([
      stack('A', {
        Parameters: { Stage: { Type: 'String', Default: 'dev' } },
        Conditions: {
          IsProd: { 'Fn::Equals': [{ Ref: 'Stage' }, 'prod'] },
          IsDev: {
            'Fn::And': [
              { 'Fn::Not': [{ Condition: 'IsProd' }] },
              { 'Fn::Or': [{ Condition: 'IsProd' }, { 'Fn::Equals': ['a', 'a'] }] },
            ],
          },
        },
        Mappings: { Sizes: { dev: { delay: 5 } } },
        Resources: { Prod: { ...queue, Condition: 'IsProd' }, Dev: { ...queue, Condition: 'IsDev' } },
      }),
    ]);
    expect(app.stacks[0]?.resources.map(({ logicalId }) => logicalId)).toEqual(['Dev']);
    expect(
      resolve('A', { a: { 'Fn::If': ['IsProd', 1, { Ref: 'AWS::NoValue' }] }, b: [{ Ref: 'AWS::NoValue' }, 2] }),
    ).toEqual({ b: [2] });
    expect(resolve('A', { 'Fn::FindInMap': ['Sizes', { Ref: 'Stage' }, 'delay'] })).toBe(5);
    expect(resolve('A', { 'Fn::Select': [1, { 'Fn::GetAZs': '' }] })).toBe('us-east-1b');
  });

  test('a parameter that has no value here is refused by its name, and has the value that the author gives', () => {
    const Parameters = {
      Ami: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/ami' },
      Size: { Type: 'String' },
    };
    const without = read([stack('A', { Parameters })]);
    expect(() => without.resolve('A', { Ref: 'Ami' })).toThrow('Ami is read from Systems Manager');
    expect(() => without.resolve('A', { Ref: 'Size' })).toThrow('Size has no default. Give its value in `parameters`');
    const given = read([stack('A', { Parameters })], { parameters: { Ami: 'ami-1', Size: 'small' } });
    expect(given.resolve('A', [{ Ref: 'Ami' }, { Ref: 'Size' }])).toEqual(['ami-1', 'small']);
  });

  test('a template that CloudFormation would change first is refused', () => {
    expect(read([stack('A', { Transform: 'AWS::Serverless-2016-10-31' })]).refused).toHaveLength(1);
  });
});

const machine = { Type: 'AWS::StepFunctions::StateMachine', Metadata: { 'aws:cdk:path': 'A/Work/Machine/Resource' } };

function fn(Properties: Readonly<Record<string, unknown>>) {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Runtime: 'nodejs24.x', Handler: 'i.h', Code: { ZipFile: '' }, ...Properties },
  };
}

function functionsOf(given: ReturnType<typeof read>): readonly FunctionRead[] {
  const reading = readingOf(given.app);
  readFunctions(reading, new Map());
  return [...reading.functions.values()];
}

describe('what is not run', () => {
  test('is listed with a sentence, and what changes nothing is not', () => {
    const { listed } = read([
      stack('A', {
        Resources: {
          Machine: machine,
          Role: { Type: 'AWS::IAM::Role' },
          Log: { Type: 'AWS::Logs::LogGroup' },
          Meta: { Type: 'AWS::CDK::Metadata' },
          Alarm: { Type: 'AWS::CloudWatch::Alarm' },
          Database: { Type: 'AWS::RDS::DBInstance' },
        },
      }),
    ]);
    expect(listed).toEqual([
      { stack: 'A', construct: 'A/Work/Machine', type: machine.Type, why: expect.stringContaining('no state machine') },
      { stack: 'A', construct: 'Database', type: 'AWS::RDS::DBInstance', why: expect.stringContaining('AWS::RDS') },
    ]);
  });

  test.each([
    ['a property that no rule knows', 'AWS::SQS::Queue', { Surprise: 1 }, ['Surprise']],
    [
      'a property inside another',
      'AWS::Lambda::EventSourceMapping',
      { ScalingConfig: { Surprise: 1, MaximumConcurrency: 2 } },
      ['ScalingConfig.Surprise'],
    ],
    [
      'a property of the items of a list, once',
      'AWS::DynamoDB::Table',
      { GlobalSecondaryIndexes: [{ Surprise: 1 }, { Surprise: 2 }] },
      ['GlobalSecondaryIndexes.Surprise'],
    ],
    [
      'a value that is not run, of a property that is',
      'AWS::SQS::Queue',
      { DeduplicationScope: 'messageGroup', MessageRetentionPeriod: 60 },
      ['DeduplicationScope', 'MessageRetentionPeriod'],
    ],
    [
      'nothing of what is run or changes nothing',
      'AWS::SQS::Queue',
      { VisibilityTimeout: 5, Tags: [], MessageRetentionPeriod: 345_600, DeduplicationScope: 'queue' },
      [],
    ],
  ])('of a resource that is run: %s', (_, Type, Properties, expected) => {
    expect(
      read([stack('A', { Resources: { It: { Type, Properties } } })]).listed.map(({ property }) => property),
    ).toEqual(expected);
  });

  test('is refused where the verdict would be wrong: a window that keeps state', () => {
    const Properties = { TumblingWindowInSeconds: 30 };
    const { refused } = read([
      stack('A', { Resources: { It: { Type: 'AWS::Lambda::EventSourceMapping', Properties } } }),
    ]);
    expect(refused).toMatchObject([{ construct: 'It', property: 'TumblingWindowInSeconds' }]);
  });

  test('a function gets a made-up name of it, and that is listed; a stub gives it a real one', () => {
    const template = {
      Resources: { Machine: machine, Fn: fn({ Environment: { Variables: { M: { Ref: 'Machine' }, N: 'n' } } }) },
    };
    const without = read([stack('A', template)]);
    functionsOf(without);
    expect(without.listed.find(({ construct }) => construct === 'Fn')).toMatchObject({
      property: 'Environment.Variables.M',
      why: expect.stringContaining('leads nowhere, of A/Work/Machine'),
    });
    const stubbed = read([stack('A', template)], {
      stubs: { 'Work/Machine': { ref: 'arn:stub', attributes: { Name: 'stub' } } },
    });
    expect(functionsOf(stubbed)).toMatchObject([{ function: { environment: { M: 'arn:stub', N: 'n' } } }]);
    expect(stubbed.resolve('A', { 'Fn::GetAtt': ['Machine', 'Name'] })).toBe('stub');
    expect(stubbed.listed).toMatchObject([{ construct: 'A/Work/Machine', stubbed: true }]);
  });

  test('a stub that stands for nothing is refused, and names what it could stand for', () => {
    const stacks = [stack('A', { Resources: { Machine: machine, Queue: queue } })];
    expect(() => read(stacks, { stubs: { Queue: { ref: 'x' } } })).toThrow(
      'The stub Queue stands for nothing. A stub can stand for: A/Work/Machine (AWS::StepFunctions::StateMachine).',
    );
  });

  test('a function of another runtime, in a container, or of a custom resource is not run, and says why', () => {
    const given = read([
      stack('A', {
        Resources: {
          Python: fn({ Runtime: 'python3.13' }),
          Container: fn({ PackageType: 'Image' }),
          Elsewhere: fn({ Code: { S3Bucket: 'b', S3Key: 'k' } }),
          Unresolved: fn({ Environment: { Variables: { X: { 'Fn::ImportValue': 'none' } } } }),
          Provider: fn({}),
          Custom: { Type: 'Custom::Thing', Properties: { ServiceToken: { 'Fn::GetAtt': ['Provider', 'Arn'] } } },
          Runs: fn({}),
        },
      }),
    ]);
    const why = functionsOf(given).map((one) => (one.kind === 'runs' ? 'runs' : one.why));
    expect(why).toEqual([
      expect.stringContaining('runtime is python3.13'),
      expect.stringContaining('no container'),
      expect.stringContaining('not among the assets'),
      expect.stringContaining('none, which no stack of the app exports'),
      expect.stringContaining('custom resource'),
      'runs',
    ]);
    expect(given.listed).toHaveLength(6);
  });
});
