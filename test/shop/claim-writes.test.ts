import { expect, test } from 'vitest';
import { statementOf } from '../../lib/pawl/stores/dynamodb/statement.ts';
import { observedIn } from '../../lib/rehearsal/pawl/observed-writes.ts';
import { claimWrites } from '../../shop/faults/claim-writes.ts';
import { record } from '../support/records.ts';

const seen = record({ id: 'send-email#2' });
const call = {
  sandbox: undefined,
  operation: 'BatchExecuteStatement',
  // What the store really sends: a reading of its own would drift away from it.
  body: JSON.stringify({
    Statements: [
      statementOf('claims', { next: record({ id: 'send-email#1' }), seen: undefined }),
      statementOf('claims', { next: { ...seen, status: 'completed', result: '"completed"' }, seen }),
      statementOf('claims', {
        next: { ...seen, id: 'send-email#3', claimId: 'b' },
        seen: { ...seen, id: 'send-email#3' },
      }),
    ],
  }),
};
const writes = [
  { id: 'send-email#1', status: 'in-flight' },
  { id: 'send-email#2', status: 'completed' },
  { id: 'send-email#3', status: 'in-flight' },
];

test('the claims, completions and takeovers of a batch are told apart', () => {
  expect(claimWrites(call)).toEqual(writes);
});

test('of an answered batch, only the statements that were applied count', () => {
  const body = JSON.stringify({ Responses: [{ Error: { Code: 'DuplicateItem' } }, {}, {}] });
  expect(claimWrites(call, { status: 200, body })).toEqual(writes.slice(1));
  expect(claimWrites(call, { status: 500, body })).toEqual([]);
});

test('a single write is one', () => {
  const body = JSON.stringify({ Item: { id: { S: 'a#1' }, status: { S: 'in-flight' } } });
  expect(claimWrites({ operation: 'PutItem', body })).toEqual([{ id: 'a#1', status: 'in-flight' }]);
});

test('what is only observed is told apart from a takeover of it, and from a field of another table', () => {
  const observed = { ...seen, claimId: '#observed', observed: '{"deliveries":1}' };
  const statements = [
    statementOf('claims', { next: { ...observed, id: 'a#1' }, seen: undefined }),
    statementOf('claims', {
      next: { ...observed, id: 'a#2', observed: '{"deliveries":2}' },
      seen: { ...observed, id: 'a#2' },
    }),
    statementOf('claims', { next: { ...seen, id: 'a#3' }, seen: { ...observed, id: 'a#3' } }),
    { Statement: `UPDATE "birds" SET "observed"=? WHERE "id"=?`, Parameters: [{ N: '3' }, { S: 'tit' }] },
  ];
  const body = JSON.stringify({ Statements: statements });
  expect([...observedIn({ operation: 'BatchExecuteStatement', body })]).toEqual(['a#1', 'a#2']);
  const put = (Item: object) => [...observedIn({ operation: 'PutItem', body: JSON.stringify({ Item }) })];
  const bird = { id: { S: 'tit' }, observed: { N: '3' } };
  expect([put({ ...bird, claimId: { S: '#observed' } }), put(bird)]).toEqual([['tit'], []]);
});
