import { describe, expect, test } from 'vitest';
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
