import { expect, test } from 'vitest';
import { createDynamoDbFaults } from '../../shop/faults/dynamodb-faults.ts';

const always = { next: () => 0, below: () => 0, chance: () => true, pick: <T>([first]: readonly [T, ...T[]]) => first };
const call = (operation: string, body: unknown) => ({ sandbox: undefined, operation, body: JSON.stringify(body) });
/** Every second one meets its fate. */
function everySecond() {
  let n = 0;
  return { ...always, chance: () => n++ % 2 === 0 };
}

test('a throttled statement never reaches the server, and its place in the answer says so', () => {
  const { hooks, stats } = createDynamoDbFaults(everySecond());
  const changed = hooks.rewrite(call('BatchExecuteStatement', { Statements: ['a', 'b', 'c'], More: 1 }));
  expect(JSON.parse(changed?.body ?? '')).toEqual({ Statements: ['b'], More: 1 });
  const { Responses } = JSON.parse(changed?.answer('{"Responses":[{"TableName":"t"}]}') ?? '');
  expect(Responses).toMatchObject([
    { Error: { Code: 'ThrottlingError' } },
    { TableName: 't' },
    { Error: { Code: 'ThrottlingError' } },
  ]);
  expect(stats.throttled).toBe(2);
});

test('an unread key is not asked for, and comes back as unprocessed', () => {
  const { hooks, stats } = createDynamoDbFaults(everySecond());
  const changed = hooks.rewrite(
    call('BatchGetItem', { RequestItems: { t: { Keys: ['a', 'b'], ConsistentRead: true } } }),
  );
  expect(JSON.parse(changed?.body ?? '')).toEqual({ RequestItems: { t: { Keys: ['b'], ConsistentRead: true } } });
  expect(JSON.parse(changed?.answer('{"Responses":{"t":["B"]}}') ?? '')).toEqual({
    Responses: { t: ['B'] },
    UnprocessedKeys: { t: { Keys: ['a'], ConsistentRead: true } },
  });
  expect(stats.unread).toBe(1);
});

test('a request of which nothing is left is answered without the server', () => {
  const { hooks } = createDynamoDbFaults(always);
  const changed = hooks.rewrite(call('BatchExecuteStatement', { Statements: ['a'] }));
  expect(changed).toMatchObject({ body: undefined });
  expect(JSON.parse(changed?.answer() ?? '').Responses).toMatchObject([{ Error: { Code: 'ThrottlingError' } }]);
});
