import { expect, test } from 'vitest';
import { isWrite, writesOf } from '../../../lib/rehearsal/file/store-calls.ts';

const ok = (body: object = {}) => ({ status: 200, body: JSON.stringify(body) });
const call = (operation: string, body: object) => ({ operation, body: JSON.stringify(body) });

test('a put, an update and a delete are writes, by their keys', () => {
  const put = call('PutItem', { TableName: 'T', Item: { id: { S: 'a' }, at: { N: '1' } } });
  expect(writesOf(put, ok())).toEqual([{ table: 'T', key: 'a 1', result: 'written' }]);
  const update = call('UpdateItem', { TableName: 'T', Key: { id: { S: 'a' } } });
  expect(writesOf(update, { status: 400, body: '{"__type":"x#ConditionalCheckFailedException"}' })).toEqual([
    { table: 'T', key: 'a', result: 'ConditionalCheckFailed' },
  ]);
});

test('each write of a transaction has its own result', () => {
  const transaction = call('TransactWriteItems', {
    TransactItems: [
      { Put: { TableName: 'A', Item: { id: { S: 'a' } } } },
      { Update: { TableName: 'B', Key: { id: { S: 'b' } } } },
    ],
  });
  expect(writesOf(transaction, ok()).map(({ result }) => result)).toEqual(['written', 'written']);
  const body = JSON.stringify({
    __type: 'x#TransactionCanceledException',
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
  });
  expect(writesOf(transaction, { status: 400, body })).toEqual([
    { table: 'A', key: 'a', result: 'not written' },
    { table: 'B', key: 'b', result: 'ConditionalCheckFailed' },
  ]);
});

test('each statement of a batch has its own result, and the key of its condition', () => {
  const batch = call('BatchExecuteStatement', {
    Statements: [
      { Statement: 'INSERT INTO "Claims" VALUE {\'id\': ?}', Parameters: [{ S: 'a' }] },
      {
        Statement: 'UPDATE "Claims" SET "status"=? WHERE "id"=? AND "rev"=?',
        Parameters: [{ S: 'completed' }, { S: 'b' }, { N: '1' }],
      },
    ],
  });
  const answer = ok({ Responses: [{}, { Error: { Code: 'DuplicateItem' } }] });
  expect(writesOf(batch, answer)).toEqual([
    { table: 'Claims', key: 'a', result: 'written' },
    { table: 'Claims', key: 'b', result: 'DuplicateItem' },
  ]);
});

test('a read is no write, also as a statement', () => {
  expect(isWrite(call('GetItem', {}))).toBe(false);
  expect(isWrite(call('BatchExecuteStatement', { Statements: [{ Statement: 'SELECT * FROM T' }] }))).toBe(false);
  expect(isWrite(call('BatchExecuteStatement', { Statements: [{ Statement: 'UPDATE T SET a=?' }] }))).toBe(true);
});
