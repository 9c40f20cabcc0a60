import { Template } from 'aws-cdk-lib/assertions';
import { User } from 'aws-cdk-lib/aws-iam';
import { describe, expect, test } from 'vitest';
import { type ClaimRights, ClaimsTable } from '../../lib/cdk/index.ts';
import { addConsumer, emptyStack, type Overrides, permissions, refusalOf } from './support.ts';

function granted(grant: 'grantClaims' | 'grantLocks', rights: unknown) {
  const stack = emptyStack();
  new ClaimsTable(stack, 'Claims')[grant](new User(stack, 'Team'), rights as ClaimRights);
  return permissions(Template.fromStack(stack)).map(({ actions, condition }) => ({ actions, condition }));
}

const on = (...keys: readonly string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

test('a grant for operations permits their claims, to read the mark of a restore, and to describe the table', () => {
  const actions = [
    'dynamodb:BatchGetItem',
    'dynamodb:PutItem',
    'dynamodb:PartiQLInsert',
    'dynamodb:PartiQLUpdate',
    'dynamodb:GetItem',
  ];
  expect(granted('grantClaims', { operations: ['send-email'], sends: ['gift'] })).toEqual([
    { actions, condition: on('send-email#*', 'execution:send-email#*', 'send:gift#*', 'send-intent:gift#*') },
    { actions: ['dynamodb:GetItem'], condition: on('#restored') },
    { actions: ['dynamodb:DescribeTable'], condition: undefined },
  ]);
});

test('a grant of locks for operations permits locks, and to check the claims of these operations', () => {
  const actions = ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'];
  expect(granted('grantLocks', { operations: ['repay'] })).toEqual([
    { actions, condition: on('#resource#*', '#lock#*', '#work#*') },
    { actions: ['dynamodb:ConditionCheckItem'], condition: on('repay#*') },
  ]);
});

test.each<readonly [unknown, RegExp]>([
  [{}, /no operation is named/],
  [{ operations: [] }, /no operation is named/],
  [{ operation: 'send-email' }, /operation is unknown: expected operations or sends/],
  [{ operations: ['send email'] }, /"send email" is no operation/],
  [{ operations: [undefined, 'a#b'] }, /"a#b" is no operation/],
  [{ operations: ['send:gift'] }, /'send:gift' names claims of pawl's own/],
  [{ operations: ['execution:gift'] }, /'execution:gift' names claims of pawl's own/],
  ['send-email', /expected an object such as/],
  [null, /expected an object such as/],
])('rights that name no operation are refused: %j', (rights, problem) => {
  for (const grant of ['grantClaims', 'grantLocks'] as const) expect(() => granted(grant, rights)).toThrow(problem);
});

describe('a consumer whose role is limited', () => {
  const refused = (overrides: Overrides) => refusalOf((stack) => void addConsumer(stack, overrides));

  test('is accepted with the right of its operation, which pawl evaluates', () => {
    expect(refused({ operation: 'send-email', claimRights: { operations: ['send-email'] } })).toBeUndefined();
    expect(refused({ claimRights: { operations: ['send-email', 'gift'], sends: ['gift'] } })).toBeUndefined();
  });

  test('is refused with the right of other operations alone', () => {
    expect(refused({ operation: 'send-email', claimRights: { operations: ['send', 'send-email-2'] } })).toEqual([
      expect.stringMatching(
        /may not dynamodb:BatchGetItem.* for claims of 'send-email': the permission has a condition/,
      ),
    ]);
  });

  test('is refused where pawl does not know its operation', () => {
    expect(refused({ claimRights: { sends: ['gift'] } })).toEqual([
      expect.stringMatching(/except under a condition.*name the operation/),
    ]);
  });

  test('is refused beside permissions that are given elsewhere', () => {
    expect(refused({ externalPermissions: true, claimRights: { operations: ['send-email'] } })).toEqual([
      expect.stringMatching(/^claimRights is given beside externalPermissions/),
    ]);
  });
});
