import { describe, expect, test } from 'vitest';
import { readApp } from '../../../lib/rehearsal/engine/app/read-app.ts';
import { referencesOf } from '../../../lib/rehearsal/engine/app/references.ts';
import type { Synthesized } from '../../../lib/rehearsal/engine/app/synthesize.ts';
import { filtered } from '../../../lib/rehearsal/file/filter.ts';
import { shorten } from '../../../lib/rehearsal/file/shorten.ts';
import { services } from '../../../lib/rehearsal/services/registry.ts';

const sqs = { address: (name: string) => ({ url: `http://sqs/${name}`, arn: `arn:aws:sqs:us-east-1:0:${name}` }) };

function referencesIn(stacks: readonly Synthesized[], parameters: Readonly<Record<string, unknown>> = {}) {
  return referencesOf(readApp({ folder: '', stacks, missing: [] }, { sqs: sqs, services: services, parameters }));
}

function stackOf(fn: object, queue: object, functionName: unknown = { Ref: 'Fn' }, mapping: object = {}) {
  const at = (path: string) => ({ 'aws:cdk:path': `Stack/${path}/Resource` });
  const Resources = {
    Fn: { Type: 'AWS::Lambda::Function', Properties: { ...fn }, Metadata: at('Mails') },
    Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Fn' } } },
    Queue: { Type: 'AWS::SQS::Queue', Properties: { ...queue }, Metadata: at('Orders') },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: functionName, EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] }, ...mapping },
    },
  };
  return { stackName: 'Stack', template: { Resources }, assets: new Map() };
}

function shortened(fn: object, queue: object, functionName?: unknown, mapping?: object) {
  const stacks = [stackOf(fn, queue, functionName, mapping)];
  const [stack] = shorten(stacks, referencesIn(stacks), 6).stacks;
  const { Fn, Queue } = stack?.template.Resources ?? {};
  return [Fn?.Properties?.['Timeout'], Queue?.Properties?.['VisibilityTimeout']];
}

test('a long timeout is shortened, and a visibility timeout above it stays above it', () => {
  expect(shortened({ Timeout: 30 }, { VisibilityTimeout: 180 })).toEqual([6, 8]);
  expect(shortened({ Timeout: 30 }, { VisibilityTimeout: 180 }, { Ref: 'Live' })).toEqual([6, 8]);
});

test('a short timeout stays, and a visibility timeout waits no longer than it has to', () => {
  expect(shortened({ Timeout: 3 }, { VisibilityTimeout: 30 })).toEqual([3, 5]);
  expect(shortened({}, {})).toEqual([undefined, 5]);
});

test('a visibility timeout stays above the timeout and the batching window, if it is above both', () => {
  const window = (seconds: number) => ({ MaximumBatchingWindowInSeconds: seconds });
  const of = (VisibilityTimeout: number, seconds: number) =>
    shortened({ Timeout: 30 }, { VisibilityTimeout }, undefined, window(seconds));
  expect(of(192, 12)).toEqual([6, 6 + 2 + 12]);
  expect(of(180, 300)).toEqual([6, 6 + 2 + 150]);
  // A mistake to be found.
  expect(of(35, 20)).toEqual([6, 6 + 2 + 5]);
});

test('a visibility timeout below the timeout stays below it: it is a mistake to be found', () => {
  expect(shortened({ Timeout: 30 }, { VisibilityTimeout: 10 })).toEqual([6, 2]);
});

test('only the event sources of a wanted consumer are left, by its function or its queue', () => {
  const stacks = [stackOf({}, {})];
  const left = (wanted: string) =>
    filtered(stacks, referencesIn(stacks), wanted).flatMap(({ template }) => Object.keys(template.Resources));
  expect(left('Mails')).toContain('Mapping');
  expect(left('Orders')).toContain('Mapping');
  expect(left('Others')).not.toContain('Mapping');
});

/** A queue in one stack, and its function in another, which knows the queue in one of the ways that there are. */
const ways = {
  'an import': {
    arn: { 'Fn::ImportValue': 'Data:Queue' },
    output: { Export: { Name: 'Data:Queue' }, Value: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
  },
  'its name': { arn: { 'Fn::Join': [':', ['arn:aws:sqs', { Ref: 'AWS::Region' }, '0', 'orders']] } },
  'its ARN': { arn: 'arn:aws:sqs:us-east-1:0:orders' },
  'a parameter of Systems Manager': { arn: { Ref: 'FromSsm' }, output: undefined },
} as const;

function twoStacks(way: keyof typeof ways, { timeout, visibility }: { timeout: unknown; visibility: unknown }) {
  const { arn, ...more } = ways[way];
  const output = 'output' in more && more.output !== undefined ? { Outputs: { Queue: more.output } } : {};
  const data: Synthesized = {
    stackName: 'Data',
    assets: new Map(),
    template: {
      ...output,
      Resources: {
        Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders', VisibilityTimeout: visibility } },
        Stored: {
          Type: 'AWS::SSM::Parameter',
          Properties: { Name: '/orders/queue', Value: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
        },
      },
    },
  };
  const work: Synthesized = {
    stackName: 'Work',
    assets: new Map(),
    template: {
      Parameters: { FromSsm: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/orders/queue' } },
      Resources: {
        Fn: { Type: 'AWS::Lambda::Function', Properties: { Timeout: timeout } },
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: { FunctionName: { Ref: 'Fn' }, EventSourceArn: arn },
        },
      },
    },
  };
  return [data, work];
}

describe('a queue in another stack, known by', () => {
  test.each(Object.keys(ways) as (keyof typeof ways)[])(
    '%s, is shortened with its function: neither an innocent app nor a guilty one becomes the other',
    (way) => {
      const short = (timeout: unknown, visibility: unknown) => {
        const stacks = twoStacks(way, { timeout, visibility });
        const [data, work] = shorten(stacks, referencesIn(stacks), 6).stacks;
        const { Queue } = data?.template.Resources ?? {};
        const { Fn } = work?.template.Resources ?? {};
        return [Fn?.Properties?.['Timeout'], Queue?.Properties?.['VisibilityTimeout']];
      };
      expect(short(30, 180)).toEqual([6, 8]);
      expect(short(30, 10)).toEqual([6, 2]);
    },
  );
});

test('what cannot be read stays as it is, with what hangs together with it, and is named', () => {
  const stacks = twoStacks('its ARN', { timeout: { Ref: 'Unknown' }, visibility: 180 });
  const { shortened: changes, unread, stacks: same } = shorten(stacks, referencesIn(stacks), 6);
  expect([changes, unread, same]).toEqual([[], ['Queue', 'Fn'], stacks]);
});

test('a timeout that is a parameter is read', () => {
  const stacks = twoStacks('its ARN', { timeout: { Ref: 'Seconds' }, visibility: 180 });
  const { shortened: changes } = shorten(stacks, referencesIn(stacks, { Seconds: '30' }), 6);
  expect(changes).toEqual([
    { logicalId: 'Fn', construct: 'Fn', from: 30, to: 6 },
    { logicalId: 'Queue', construct: 'Queue', from: 180, to: 8 },
  ]);
});

test('a queue that feeds two functions stays above the timeout of the longer one', () => {
  const [stack] = [stackOf({ Timeout: 30 }, { VisibilityTimeout: 180 })];
  const Resources = {
    ...stack.template.Resources,
    Short: { Type: 'AWS::Lambda::Function', Properties: { Timeout: 1 } },
    ShortMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: { Ref: 'Short' }, EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
    },
  };
  const stacks = [{ ...stack, template: { Resources } }];
  const { shortened: changes } = shorten(stacks, referencesIn(stacks), 6);
  expect(changes.find(({ logicalId }) => logicalId === 'Queue')?.to).toBe(8);
});
