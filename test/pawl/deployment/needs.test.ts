import { expect, test } from 'vitest';
import { tableNeeds } from '../../../lib/pawl/deployment/claim-rights.ts';
import { tableActions } from '../../../lib/pawl/deployment/needs.ts';

test('asks for what locks call only when told that the handlers lock', () => {
  const ofLocks = ['dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'];
  expect(tableActions({})).not.toEqual(expect.arrayContaining(ofLocks));
  for (const individualStore of [false, true]) {
    const asked = tableActions({ individualStore, locks: true });
    expect(asked).toEqual(expect.arrayContaining([...tableActions({ individualStore }), ...ofLocks]));
    expect(asked).toHaveLength(new Set(asked).size);
  }
});

test('asks for what a store of a restored table calls while the table has a mark of a restore', () => {
  const mark = (kind: 'none' | 'lifted' | 'of-an-earlier-table') => tableActions({}, { kind });
  const stands = tableActions({}, { kind: 'stands', cutOff: 1, liftedFor: [] });
  for (const asked of [stands, mark('of-an-earlier-table')]) {
    expect(asked).toEqual([...tableActions({}), 'dynamodb:GetItem', 'dynamodb:DescribeTable']);
  }
  for (const asked of [mark('none'), mark('lifted'), tableActions({}, undefined)]) {
    expect(asked).toEqual(tableActions({}));
  }
});

test('asks for the mark on its own key, also where the store reads its claims by the same action', () => {
  const stands = { kind: 'stands', cutOff: 1, liftedFor: [] } as const;
  for (const individualStore of [false, true]) {
    const needs = tableNeeds({ individualStore, operations: ['send-email'] }, stands);
    expect(needs.at(-1)).toMatchObject({
      actions: ['dynamodb:GetItem', 'dynamodb:DescribeTable'],
      leadingKeys: ['#restored'],
    });
  }
});
