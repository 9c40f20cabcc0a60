import { describe, expect, test } from 'vitest';
import type { LeadingKey } from '../../lib/pawl/deployment/condition.ts';
import { type AccessDecision, decideAccess, type Policies, type Statement } from '../../lib/pawl/deployment/policy.ts';

const roleArn = 'arn:aws:iam::111111111111:role/worker';
const queue = 'arn:aws:sqs:eu-west-1:111111111111:mails';
const allow = { Effect: 'Allow', Action: 'sqs:*', Resource: '*' };
const deny = { Effect: 'Deny', Action: 'sqs:SendMessage', Resource: '*' };
const perhaps = { StringEquals: { 'aws:PrincipalTag/team': 'mails' } };

const decided = (policies: Partial<Policies>, resource = queue): AccessDecision =>
  decideAccess({ ofRole: [], ofResource: [], boundary: undefined, roleArn, ...policies }, 'sqs:SendMessage', resource);
const byRole = (...ofRole: Statement[]) => decided({ ofRole });
const byQueue = (...ofResource: Statement[]) => decided({ ofRole: [allow], ofResource });

describe('policies of the role', () => {
  test.each([
    ['nothing', [], 'missing'],
    ['an allowance', [allow], 'allowed'],
    [
      'an allowance of everything but another action',
      [{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }],
      'allowed',
    ],
    [
      'an allowance of everything but this action',
      [{ Effect: 'Allow', NotAction: ['sqs:Send*'], Resource: '*' }],
      'missing',
    ],
    ['an allowance on everything but this queue', [{ ...allow, Resource: undefined, NotResource: queue }], 'missing'],
    ['an allowance on the queues of another region', [{ ...allow, Resource: 'arn:aws:sqs:us-east-1:*:*' }], 'missing'],
    ['an allowance in another case of the name', [{ ...allow, Resource: queue.replace('mails', 'Mails') }], 'missing'],
    [
      'an allowance in China’s partition, of an app that is there',
      [{ ...allow, Resource: queue.replace('aws', 'aws-cn') }],
      'allowed',
    ],
    ['an allowance under a condition', [{ ...allow, Condition: perhaps }], 'conditional'],
    ['two, of which one has no condition', [{ ...allow, Condition: perhaps }, allow], 'allowed'],
    ['a denial beside it', [allow, deny], 'denied'],
    [
      'a denial of everything but another action',
      [allow, { Effect: 'Deny', NotAction: 'dynamodb:*', Resource: '*' }],
      'denied',
    ],
    ['a denial under a condition', [allow, { ...deny, Condition: perhaps }], 'allowed, perhaps'],
    ['a denial without TLS', [allow, { ...deny, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }], 'allowed'],
  ] satisfies readonly (readonly [string, readonly Statement[], AccessDecision])[])('%s', (_, statements, decision) => {
    expect(byRole(...statements)).toBe(decision);
  });
});

describe('a condition on the keys of the items', () => {
  const own = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['pay#*'] } };
  const closed = { ...own, Null: { 'dynamodb:LeadingKeys': 'false' } };
  const put = (Condition: unknown, keys?: readonly LeadingKey[], action = 'dynamodb:PutItem', Effect = 'Allow') => {
    const statements = [{ Effect, Action: 'dynamodb:*', Resource: '*', Condition }];
    const ofRole = Effect === 'Allow' ? statements : [{ ...allow, Action: 'dynamodb:*' }, ...statements];
    return decideAccess({ ofRole, ofResource: [], boundary: undefined, roleArn }, action, queue, keys);
  };

  test.each([
    ['keys of the operation', closed, ['pay#1', 'pay#2'], 'allowed'],
    ['any key of the operation', closed, [{ startsWith: 'pay#' }], 'allowed'],
    ['one of another operation among them', closed, ['pay#1', 'payout#2'], 'other keys'],
    ['any key of another operation', closed, [{ startsWith: 'payout#' }], 'other keys'],
    ['any key of an operation whose name begins alike', closed, [{ startsWith: 'pa' }], 'conditional'],
    ['keys that are not known', closed, undefined, 'conditional'],
    ['no key, where the condition is closed', closed, [], 'other keys'],
    ['no key, where the condition is open', own, [], 'allowed'],
    [
      'one key of several patterns',
      { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a#*', 'pay#?'] } },
      ['pay#1'],
      'allowed',
    ],
    [
      'any key, and a pattern for some',
      { StringLike: { 'dynamodb:LeadingKeys': 'pay#?' } },
      [{ startsWith: 'pay#' }],
      'conditional',
    ],
    [
      'signs of patterns that stand for themselves',
      { StringLike: { 'dynamodb:LeadingKeys': `\${*}\${?}\${$}#*` } },
      ['*?$#1'],
      'allowed',
    ],
    ['a text in place of such signs', { StringLike: { 'dynamodb:LeadingKeys': `\${*}#*` } }, ['pay#1'], 'other keys'],
    ['a variable', { StringLike: { 'dynamodb:LeadingKeys': `\${aws:PrincipalTag/team}#*` } }, ['pay#1'], 'conditional'],
    ['an equal key', { StringEquals: { 'dynamodb:LeadingKeys': 'pay#*' } }, ['pay#*'], 'allowed'],
    [
      'a key that only a pattern matches',
      { StringEquals: { 'dynamodb:LeadingKeys': 'pay#*' } },
      ['pay#1'],
      'other keys',
    ],
    ['a key that must not be', { StringNotLike: { 'dynamodb:LeadingKeys': 'pay#*' } }, ['pay#1'], 'other keys'],
    ['another key than must not be', { StringNotLike: { 'dynamodb:LeadingKeys': 'pay#*' } }, ['a#1'], 'allowed'],
    [
      'one key of several',
      { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': 'pay#*' } },
      ['a#1', 'pay#1'],
      'allowed',
    ],
    [
      'several keys without a quantifier',
      { StringLike: { 'dynamodb:LeadingKeys': 'pay#*' } },
      ['pay#1', 'pay#2'],
      'conditional',
    ],
    [
      'no key, where one is enough',
      { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': 'pay#*' } },
      [],
      'other keys',
    ],
    ['no key, if there is one', { StringLikeIfExists: { 'dynamodb:LeadingKeys': 'pay#*' } }, [], 'allowed'],
    ['another condition beside it', { ...closed, ...perhaps }, ['pay#1'], 'conditional'],
    [
      'an operator that is not known',
      { 'ForAllValues:ArnLike': { 'dynamodb:LeadingKeys': ['pay#*'] } },
      ['pay#1'],
      'conditional',
    ],
    ['a condition that is a reference', 'a parameter', ['pay#1'], 'conditional'],
    [
      'a value that is a reference',
      { StringLike: { 'dynamodb:LeadingKeys': { Ref: 'Key' } } },
      ['pay#1'],
      'conditional',
    ],
  ] satisfies readonly (readonly [string, unknown, readonly LeadingKey[] | undefined, AccessDecision])[])(
    '%s',
    (_, condition, keys, decision) => {
      expect(put(condition, keys)).toBe(decision);
    },
  );

  test('is not met by a request that names no item, whatever its items would be', () => {
    expect(put(closed, ['pay#1'], 'dynamodb:Scan')).toBe('missing');
    expect(put(own, ['payout#1'], 'dynamodb:Scan')).toBe('allowed');
  });

  test('of a denial holds for its keys', () => {
    expect(put(closed, ['pay#1'], undefined, 'Deny')).toBe('denied');
    expect(put(closed, ['payout#1'], undefined, 'Deny')).toBe('allowed');
    expect(put(closed, undefined, undefined, 'Deny')).toBe('allowed, perhaps');
  });
});

describe('the policy of the resource', () => {
  test.each([
    ['a denial for all', { ...deny, Principal: '*' }, 'denied by the resource'],
    ['a denial for the role', { ...deny, Principal: { AWS: [roleArn] } }, 'denied by the resource'],
    [
      'a denial for the account',
      { ...deny, Principal: { AWS: 'arn:aws:iam::111111111111:root' } },
      'denied by the resource',
    ],
    ['a denial for another role', { ...deny, Principal: { AWS: `${roleArn}-2` } }, 'allowed'],
    ['a denial for all but the role', { ...deny, NotPrincipal: { AWS: roleArn } }, 'allowed'],
    ['a denial for all but another role', { ...deny, NotPrincipal: { AWS: `${roleArn}-2` } }, 'denied by the resource'],
  ] satisfies readonly (readonly [string, Statement, AccessDecision])[])('%s', (_, statement, decision) => {
    expect(byQueue(statement)).toBe(decision);
  });

  test('is enough by itself within one account, and not across accounts', () => {
    const ofResource = [{ ...allow, Principal: { AWS: roleArn } }];
    expect(decided({ ofResource })).toBe('allowed');
    expect(decided({ ofResource }, queue.replace('111111111111', '222222222222'))).toBe('missing');
  });
});

describe('a permissions boundary', () => {
  test('limits what policies give, and gives nothing', () => {
    expect(decided({ ofRole: [allow], boundary: [allow] })).toBe('allowed');
    expect(decided({ ofRole: [allow], boundary: [] })).toBe('outside the boundary');
    expect(decided({ ofRole: [allow], boundary: [allow, deny] })).toBe('outside the boundary');
    expect(decided({ ofRole: [], boundary: [allow] })).toBe('missing');
  });

  test('that is made elsewhere leaves it open', () => {
    expect(decided({ ofRole: [allow], boundary: 'unseen' })).toBe('allowed, perhaps');
  });
});
