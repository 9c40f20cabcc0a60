import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { forEachItem, readProgress } from '../../../lib/pawl/locks/index.ts';
import { bodyField } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { leanOver, localLean, losingResponses } from '../../support/lean.ts';
import { record } from '../../support/records.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const endpoint = inject('dynamoEndpoint');
const sdk = localClient(endpoint);
const aws = localLean(endpoint);
let tableName: string;
let TableName: string;
const itemOf = async (id: string) => (await sdk.send(new GetItemCommand({ TableName, Key: { id: { S: id } } }))).Item;

beforeAll(async () => {
  [tableName, TableName] = await Promise.all([claimsTable(sdk), claimsTable(sdk)]);
});
afterAll(() => {
  for (const each of [sdk, aws]) each.destroy();
});

describe('a transaction without the SDK', () => {
  it('carries every type of the application’s values, binary ones too, exactly', async () => {
    const store = transactionalStore(dynamoStore({ tableName, aws }));
    const bytes = Uint8Array.of(0, 255, 7);
    const Item = {
      id: 'all',
      bytes,
      buffer: Buffer.from('text'),
      many: new Set([bytes]),
      B: 'a text under the name of a type',
      list: [1, 'two', null, true, { three: 3n }],
      none: undefined,
    };
    const next = record({ id: 'pay#all' });
    expect(await store.commit({ next, seen: undefined }, [{ Put: { TableName, Item } }])).toEqual({ applied: true });
    expect(await itemOf('all')).toEqual({
      id: { S: 'all' },
      bytes: { B: bytes },
      buffer: { B: Uint8Array.from(Buffer.from('text')) },
      many: { BS: [bytes] },
      B: { S: 'a text under the name of a type' },
      list: { L: [{ N: '1' }, { S: 'two' }, { NULL: true }, { BOOL: true }, { M: { three: { N: '3' } } }] },
    });
  });

  it('that is refused says what stands there, with its binary values as they are', async () => {
    const store = transactionalStore(dynamoStore({ tableName, aws }));
    const bytes = Uint8Array.of(1, 2, 3);
    const entry = { id: 'entry', bytes, many: new Set([bytes]), B: 'text' };
    const Put = {
      TableName,
      Item: entry,
      ConditionExpression: 'attribute_not_exists(id)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const;
    const first = record({ id: 'pay#entry-1' });
    await store.commit({ next: first, seen: undefined }, [{ Put }]);
    const second = record({ id: 'pay#entry-2' });
    expect(await store.commit({ next: second, seen: undefined }, [{ Put }])).toMatchObject({
      applied: false,
      refused: [{ index: 0, code: 'ConditionalCheckFailed', item: entry }],
    });
    expect(await store.read(second.id)).toBeUndefined();
  });

  it('whose response is lost is applied once: all its tries have one token', async () => {
    const losing = losingResponses(endpoint);
    const store = transactionalStore(dynamoStore({ tableName, aws: leanOver(endpoint, losing.http) }));
    const counted = {
      Update: {
        TableName,
        Key: { id: 'counter' },
        UpdateExpression: 'ADD booked :one',
        ExpressionAttributeValues: { ':one': 1 },
      },
    };
    const next = record({ id: 'pay#counted' });
    expect(await store.commit({ next, seen: undefined }, [counted])).toEqual({ applied: true });
    expect(losing.lost()).toBe(1);
    expect(await itemOf('counter')).toMatchObject({ booked: { N: '1' } });
  });

  it('is the whole effect of eachTransaction, once for a message that is delivered twice', async () => {
    const handler = eachTransaction<{ id: string }>(
      { operation: 'book', store: transactionalStore(dynamoStore({ tableName, aws })), key: bodyField('id') },
      ({ body }) => [
        {
          Update: {
            TableName,
            Key: { id: body.id },
            UpdateExpression: 'ADD booked :one',
            ExpressionAttributeValues: { ':one': 1 },
          },
        },
      ],
    );
    const one = (messageId: string) => ({
      messageId,
      receiptHandle: messageId,
      body: JSON.stringify({ id: 'twice' }),
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: {},
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders',
    });
    const context = { getRemainingTimeInMillis: () => 60_000 };
    for (const id of ['first', 'again']) {
      expect(await handler({ Records: [one(id)] }, context)).toEqual({ batchItemFailures: [] });
    }
    expect(await itemOf('twice')).toMatchObject({ booked: { N: '1' } });
  });
});

it('forEachItem commits its chunks without the SDK, binary values too, also where a response is lost', async () => {
  const losing = losingResponses(endpoint);
  const store = dynamoStore({ tableName, aws: leanOver(endpoint, losing.http) });
  const nothing = { TableName, Key: { id: 'nothing' }, ConditionExpression: 'attribute_not_exists(id)' };
  const options = { store, id: 'one', work: 'repay', fence: { ConditionCheck: nothing }, chunk: 2 };
  const bytes = Uint8Array.of(0, 255, 7);
  const done = await forEachItem(['a', 'b', 'c'], options, (some) =>
    some.map((id) => ({
      Update: {
        TableName,
        Key: { id: `item ${id}` },
        UpdateExpression: 'ADD times :one SET bytes = :bytes',
        ExpressionAttributeValues: { ':one': 1, ':bytes': bytes },
      },
    })),
  );
  expect(done).toEqual({ outcome: 'done', total: 3, done: 3 });
  expect(losing.lost()).toBeGreaterThan(1);
  expect(await readProgress(options)).toEqual({ total: 3, done: 3 });
  for (const id of ['a', 'b', 'c']) {
    expect(await itemOf(`item ${id}`)).toMatchObject({ times: { N: '1' }, bytes: { B: bytes } });
  }
});
