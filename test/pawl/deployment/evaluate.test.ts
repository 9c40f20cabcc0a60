import { describe, expect, it } from 'vitest';
import { evaluate, holds, type Known, noValue } from '../../../lib/pawl/deployment/evaluate.ts';

const names: Readonly<Record<string, unknown>> = { Queue: 'q', Port: 8080, 'AWS::NoValue': noValue };
const conditions: Readonly<Record<string, unknown>> = {
  IsLive: { 'Fn::Equals': [{ Ref: 'Queue' }, 'q'] },
  IsOld: { 'Fn::Not': [{ Condition: 'IsLive' }] },
  Both: { 'Fn::And': [{ Condition: 'IsLive' }, { Condition: 'IsOld' }] },
  Any: { 'Fn::Or': [{ Condition: 'IsOld' }, { Condition: 'IsLive' }] },
  Unclear: { 'Fn::And': [{ Condition: 'IsLive' }, { Condition: 'Elsewhere' }] },
};
const known: Known = {
  ref: (name) => names[name],
  attribute: (id, name) => (id === 'Elsewhere' ? undefined : `${id}/${name}`),
  condition: (name) => conditions[name],
  mapped: (...path) => (path.join() === 'ByRegion,eu,size' ? 5 : undefined),
  imported: (name) => (name === 'Shared' ? 'shared' : undefined),
  zones: () => ['a', 'b'],
  unknown: (name, argument) => ({ kept: [name, argument] }),
};

describe('what CloudFormation makes of', () => {
  it.each([
    [{ Ref: 'Queue' }, 'q'],
    [{ a: [{ Ref: 'Queue' }, { Ref: 'AWS::NoValue' }], b: { Ref: 'AWS::NoValue' } }, { a: ['q'] }],
    [{ 'Fn::GetAtt': 'Queue.Arn.Whole' }, 'Queue/Arn.Whole'],
    [{ 'Fn::GetAtt': ['@App/My.Queue', 'Arn'] }, '@App/My.Queue/Arn'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Port' }, true]] }, 'a-8080-true'],
    [{ 'Fn::Select': ['1', { 'Fn::Split': [',', 'a,b'] }] }, 'b'],
    [{ 'Fn::Select': [0, { 'Fn::GetAZs': '' }] }, 'a'],
    [{ 'Fn::Sub': `\${Queue}:\${Queue.Arn}:\${!kept}:\${Other}` }, `q:Queue/Arn:\${kept}:\${Other}`],
    [{ 'Fn::Sub': [`\${name}`, { name: { Ref: 'Port' } }] }, '8080'],
    [{ 'Fn::If': ['IsLive', 1, { Ref: 'Other' }] }, 1],
    [{ 'Fn::If': ['Both', 1, 2] }, 2],
    [{ 'Fn::If': ['Any', 1, 2] }, 1],
    [{ 'Fn::FindInMap': ['ByRegion', 'eu', 'size'] }, 5],
    [{ 'Fn::FindInMap': ['ByRegion', 'us', 'size', { DefaultValue: { Ref: 'Port' } }] }, 8080],
    [{ 'Fn::ImportValue': 'Shared' }, 'shared'],
    [{ 'Fn::Base64': 'x' }, 'eA=='],
    [{ 'Fn::Length': [1, { Ref: 'Queue' }] }, 2],
    [{ 'Fn::ToJsonString': { q: { Ref: 'Queue' } } }, '{"q":"q"}'],
    [
      { Ref: 'Queue', other: 1 },
      { Ref: 'Queue', other: 1 },
    ],
  ])('%j', (value, expected) => {
    expect(evaluate(value, known)).toEqual(expected);
  });

  it.each([
    [{ Ref: 'Other' }],
    [{ 'Fn::GetAtt': ['Elsewhere', 'Arn'] }],
    [{ 'Fn::Select': [7, ['a']] }],
    [{ 'Fn::If': ['Unclear', 1, 2] }],
    [{ 'Fn::FindInMap': ['ByRegion', 'us', 'size'] }],
    [{ 'Fn::ImportValue': 'Unknown' }],
    [{ 'Fn::Transform': { Name: 'x' } }],
  ])('%j is left to the caller', (value) => {
    const [[name, argument] = ['', undefined]] = Object.entries(value);
    expect(evaluate(value, known)).toEqual({ kept: [name, argument] });
  });

  it('a text with a part that is not known', () => {
    const value = { 'Fn::Join': ['-', ['a', { Ref: 'Other' }]] };
    expect(evaluate(value, known)).toEqual({ kept: ['Fn::Join', value['Fn::Join']] });
  });

  it('conditions: whether they hold, or that it is not known', () => {
    expect(['IsLive', 'IsOld', 'Both', 'Any', 'Unclear', 'Elsewhere'].map((name) => holds(name, known))).toEqual([
      true,
      false,
      false,
      true,
      undefined,
      undefined,
    ]);
  });
});
