import { expect, test } from 'vitest';
import { filtered } from '../../../lib/rehearsal/file/filter.ts';
import { shorten } from '../../../lib/rehearsal/file/shorten.ts';

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
  const { stack } = shorten(stackOf(fn, queue, functionName, mapping), 6);
  const { Fn, Queue } = stack.template.Resources;
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
  const left = (wanted: string) => Object.keys(filtered(stackOf({}, {}), wanted).template.Resources);
  expect(left('Mails')).toContain('Mapping');
  expect(left('Orders')).toContain('Mapping');
  expect(left('Others')).not.toContain('Mapping');
});
