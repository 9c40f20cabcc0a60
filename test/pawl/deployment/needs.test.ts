import { expect, test } from 'vitest';
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
