import { expect, test } from 'vitest';
import { isWrite, readsOf, writesOf } from '../../../lib/rehearsal/file/store-calls.ts';

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
    { table: 'Claims', key: 'a', looks: true, result: 'written' },
    { table: 'Claims', key: 'b', looks: true, result: 'DuplicateItem' },
  ]);
});

test('a read is no write, also as a statement', () => {
  expect(isWrite(call('GetItem', {}))).toBe(false);
  expect(isWrite(call('BatchExecuteStatement', { Statements: [{ Statement: 'SELECT * FROM T' }] }))).toBe(false);
  expect(isWrite(call('BatchExecuteStatement', { Statements: [{ Statement: 'UPDATE T SET a=?' }] }))).toBe(true);
});

test('a write looks at what stands there if it has a condition, or asks for what it replaces', () => {
  const looks = (operation: string, body: object) => writesOf(call(operation, body), ok()).map((one) => one.looks);
  const Item = { id: { S: 'a' } };
  expect(looks('PutItem', { TableName: 'T', Item })).toEqual([undefined]);
  expect(looks('PutItem', { TableName: 'T', Item, ConditionExpression: 'attribute_not_exists(id)' })).toEqual([true]);
  expect(looks('UpdateItem', { TableName: 'T', Key: Item, ReturnValues: 'ALL_OLD' })).toEqual([true]);
  const TransactItems = [
    { Put: { TableName: 'T', Item } },
    { Put: { TableName: 'T', Item, ConditionExpression: 'a' } },
  ];
  expect(looks('TransactWriteItems', { TransactItems })).toEqual([undefined, true]);
  expect(looks('BatchWriteItem', { RequestItems: { T: [{ PutRequest: { Item } }] } })).toEqual([undefined]);
});

test('the tables that a request reads are known, of a statement as well', () => {
  const reads = (operation: string, body: object) => readsOf(call(operation, body));
  expect(reads('Query', { TableName: 'T', IndexName: 'i' })).toEqual(['T']);
  expect(reads('BatchGetItem', { RequestItems: { A: {}, B: {} } })).toEqual(['A', 'B']);
  expect(reads('TransactGetItems', { TransactItems: [{ Get: { TableName: 'T' } }] })).toEqual(['T']);
  expect(reads('ExecuteStatement', { Statement: 'SELECT * FROM "T"."i" WHERE id = ?' })).toEqual(['T']);
  const Statements = [{ Statement: 'select id from T where id = ?' }, { Statement: 'INSERT INTO "U" VALUE {}' }];
  expect(reads('BatchExecuteStatement', { Statements })).toEqual(['T']);
  expect(reads('PutItem', { TableName: 'T' })).toEqual([]);
});
