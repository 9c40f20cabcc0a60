import { describe, expect, test } from 'vitest';
import { createResolver } from '../../lib/rehearsal/engine/app/resolver.ts';
import type { Names, Template } from '../../lib/rehearsal/engine/app/template.ts';

const template: Template = {
  Resources: { Queue: { Type: 'AWS::SQS::Queue' } },
  Parameters: { Stage: { Default: 'dev' } },
};
const names = new Map<string, Names>([
  ['Queue', { ref: 'http://sqs/000000000000/q', attributes: { Arn: 'arn:aws:sqs:us-east-1:000000000000:q' } }],
]);
const { resolve, text } = createResolver(template, 'Orders', names);

describe('a template value', () => {
  test.each([
    ['plain values stay', { a: [1, 'two', true, null] }, { a: [1, 'two', true, null] }],
    ['Ref', { Ref: 'Queue' }, 'http://sqs/000000000000/q'],
    ['Ref of a parameter', { Ref: 'Stage' }, 'dev'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:q'],
    ['Fn::GetAtt as a text', { 'Fn::GetAtt': 'Queue.Arn' }, 'arn:aws:sqs:us-east-1:000000000000:q'],
    ['Fn::Join', { 'Fn::Join': ['/', ['a', { Ref: 'AWS::AccountId' }, 1]] }, 'a/000000000000/1'],
    [
      'Fn::Split and Fn::Select',
      { 'Fn::Select': [5, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Queue', 'Arn'] }] }] },
      'q',
    ],
    [
      'Fn::Sub',
      { 'Fn::Sub': `\${AWS::StackName}-\${Queue.Arn}-\${!kept}` },
      `Orders-arn:aws:sqs:us-east-1:000000000000:q-\${kept}`,
    ],
    [
      'Fn::Sub with values',
      { 'Fn::Sub': [`\${name} in \${Stage}`, { name: { Ref: 'AWS::Partition' } }] },
      'aws in dev',
    ],
    ['inside other values', { deep: [{ Ref: 'AWS::URLSuffix' }] }, { deep: ['amazonaws.com'] }],
  ])('%s', (_, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  test('that refers to nothing is refused by name', () => {
    expect(() => resolve({ Ref: 'Nowhere' })).toThrow('Nowhere');
    expect(() => resolve({ 'Fn::GetAtt': ['Queue', 'Colour'] })).toThrow('Queue.Colour');
    expect(() => resolve({ 'Fn::ImportValue': 'x' })).toThrow('Fn::ImportValue');
    expect(() => text({ a: 1 })).toThrow('text');
  });
});
