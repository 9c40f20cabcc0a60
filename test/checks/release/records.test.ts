import { expect, test } from 'vitest';
import { type Item, type Records, recordAdditions, recordProblems } from '../../../checks/release/record-changes.ts';

const item: Item = {
  id: { S: 'charge#order-17' },
  status: { S: 'completed' },
  fence: { N: '1' },
  rev: { N: '1' },
  error: { M: { name: { S: 'Error' }, message: { S: 'busy' } } },
  v: { N: '1' },
};
const last: Records = { 'charge#order-17': { item, later: 'replayed' } };
const outcomes = new Map([['charge#order-17', 'replayed']]);

function problems(now: Item, later = outcomes): readonly string[] {
  return recordProblems(last, { 'charge#order-17': { item: now } }, later);
}

test('the same fields are no problem, whatever their values', () => {
  expect(problems({ ...item, fence: { N: '7' } })).toEqual([]);
});

test('a field that is dropped is a problem, and so is one inside a field', () => {
  const { rev: _, ...without } = item;
  expect(problems(without)).toEqual([
    'the item charge#order-17 has no field rev any more: a worker of the last version may need it',
  ]);
  expect(problems({ ...item, error: { M: { name: { S: 'Error' } } } })).toEqual([
    'the item charge#order-17 has no field error.message any more: a worker of the last version may need it',
  ]);
});

test('a field of another type, and another schema, are problems', () => {
  expect(problems({ ...item, fence: { S: '1' } })).toEqual([
    'the field fence of the item charge#order-17 is S now, and was N',
  ]);
  expect(problems({ ...item, v: { N: '2' } })).toEqual([
    'the item charge#order-17 has another schema: the last version leaves it alone, with an error',
  ]);
});

test('a version that may write a new record, and says so, may have another schema, and drops no field', () => {
  const found = (now: Item) =>
    recordProblems(last, { 'charge#order-17': { item: now } }, outcomes, { newRecord: true });
  const { rev: _, ...without } = item;
  expect(found({ ...item, v: { N: '2' } })).toEqual([]);
  expect(found({ ...without, v: { N: '2' } })).toEqual([
    'the item charge#order-17 has no field rev any more: a worker of the last version may need it',
  ]);
});

test('an item that is not written any more is a problem', () => {
  expect(recordProblems(last, {}, outcomes)).toEqual(['this version writes no item charge#order-17 any more']);
});

test('a claim of the last version of which this version makes something else is a problem', () => {
  expect(problems(item, new Map([['charge#order-17', 'ran again']]))).toEqual([
    "a call that meets the last version's item charge#order-17 returns ran again, and returned replayed",
  ]);
});

test('a new field is an addition', () => {
  const now = { 'charge#order-17': { item: { ...item, open: { S: '17' } } } };
  expect(recordProblems(last, now, outcomes)).toEqual([]);
  expect(recordAdditions(last, now)).toEqual(['the item charge#order-17 has a new field open']);
});
