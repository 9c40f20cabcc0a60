import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { conditionFailed } from '../../../lib/pawl/stores/dynamodb/errors.ts';
import { dynamoStore, individualDynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { record as claimRecord } from '../../support/records.ts';

/** A client that answers what it is told to, and keeps what it was asked. */
function clientThat(answer: (command: string) => unknown) {
  const asked: { command: string; input: Record<string, unknown> }[] = [];
  const client = {
    async send(command: { readonly constructor: { readonly name: string }; readonly input: never }) {
      const { name } = command.constructor;
      asked.push({ command: name, input: command.input });
      return answer(name);
    },
  } as unknown as DynamoDBClient;
  return { client, asked };
}

/** Tries again at once. */
const host = {
  after(_: number, callback: () => void) {
    const turn = setImmediate(callback);
    return () => clearImmediate(turn);
  },
  random: () => 0,
};

const stores: readonly (readonly [string, (client: DynamoDBClient) => ClaimStore])[] = [
  ['dynamoStore', (client) => dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host })],
  [
    'individualDynamoStore',
    (client) => individualDynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host }),
  ],
];
const record: ClaimRecord = claimRecord();
const found = (item: object) => ({ Item: item, Responses: { claims: [item] } });

describe.each(stores)('%s', (_, storeOn) => {
  it('reads strongly consistent: a stale "not there" would let an effect run twice', async () => {
    const { client, asked } = clientThat(() => ({}));
    await storeOn(client).read('issue-gift-card#o-1');
    expect(JSON.stringify(asked)).toContain('"ConsistentRead":true');
  });

  it('does not decide upon an item of a schema that it does not know', async () => {
    const { client } = clientThat(() => found({ id: { S: record.id }, v: { N: '2' } }));
    await expect(storeOn(client).read(record.id)).rejects.toThrow(
      'left alone: expected a claim of schema 1, found schema 2',
    );
  });

  it('waits for a table that throttles as long as its caller does: a message that comes back has used up a receive', async () => {
    let refused = 0;
    const busy = () => {
      if (++refused % 6 === 0) return { Responses: [{}] };
      throw Object.assign(new Error('rate'), { name: 'ThrottlingException' });
    };
    const store = storeOn(clientThat(busy).client);
    expect(await store.write({ next: record, seen: undefined, waitsMs: 60_000 })).toEqual({ applied: true });
    expect(await store.read(record.id, 60_000)).toBeUndefined();
    expect(refused).toBe(12);
    await expect(store.read(record.id)).rejects.toThrow('rate');
  });

  it('takes only a refused condition for a refusal: whatever else fails may have been applied', async () => {
    const failing = storeOn(clientThat(() => Promise.reject(new Error('socket hang up'))).client);
    await expect(failing.write({ next: record, seen: undefined })).rejects.toThrow('socket hang up');
    const refusal = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
    const refusing = storeOn(clientThat(() => Promise.reject(refusal)).client);
    expect(await refusing.write({ next: record, seen: undefined })).toEqual({ applied: false, found: undefined });
  });
});

it('changes a claim by a statement for an operator: the grant permits no PutItem, which could make one', async () => {
  const { client, asked } = clientThat(() => ({ Responses: [{}] }));
  const store = individualDynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }) });
  await withListing(store).write({ next: record, seen: record });
  await store.write({ next: record, seen: record });
  const own: unknown[] = [];
  const around: typeof store = {
    ...store,
    async write(write) {
      own.push(write);
      return { applied: true };
    },
  };
  await withListing(around).write({ next: record, seen: record });
  expect(asked.map(({ command }) => command)).toEqual(['BatchExecuteStatementCommand', 'PutItemCommand']);
  expect(own).toHaveLength(1);
});

describe('a request of individualDynamoStore that is throttled', () => {
  const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  /** A table that throttles so many requests, and what was asked of it. */
  function throttling(times: number) {
    let left = times;
    const { client, asked } = clientThat(() => (left-- > 0 ? Promise.reject(throttled) : {}));
    return { store: individualDynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host }), asked };
  }

  it('is sent again as long as its caller waits: a message that came back would have used up a receive', async () => {
    const { store, asked } = throttling(12);
    expect(await store.write({ next: record, seen: undefined, waitsMs: 60_000 })).toEqual({ applied: true });
    expect(asked).toHaveLength(13);
    const reading = throttling(12);
    expect(await reading.store.read(record.id, 60_000)).toBeUndefined();
    expect(reading.asked).toHaveLength(13);
  });

  it('is what its client has tried, where its caller does not wait', async () => {
    const { store, asked } = throttling(1);
    await expect(store.write({ next: record, seen: undefined })).rejects.toThrow('slow down');
    expect(asked).toHaveLength(1);
  });
});

describe('a batch of dynamoStore', () => {
  const next = { ...record, status: 'released' } as const;

  it.each([
    ['that is not answered', {}],
    ['that is throttled', { Responses: [{ Error: { Code: 'ThrottlingError', Message: 'slow down' } }] }],
  ])('never takes a statement %s for applied', async (_, answer) => {
    const { client, asked } = clientThat(() => answer);
    const store = dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host });
    await expect(store.write({ next, seen: record })).rejects.toThrow();
    expect(asked).toHaveLength(4);
  });

  it('asks who was there when a statement is refused without saying it', async () => {
    const item = toItem({ ...record, claimId: 'other' });
    const refused = { Responses: [{ Error: { Code: 'ConditionalCheckFailed' } }] };
    const { client } = clientThat((command) => (command === 'BatchGetItemCommand' ? found(item) : refused));
    const store = dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host });
    expect(await store.write({ next, seen: record })).toMatchObject({ applied: false, found: { claimId: 'other' } });
  });

  it('never takes a key that was not read for one that is not there', async () => {
    const { client } = clientThat(() => ({ UnprocessedKeys: { claims: { Keys: [{ id: { S: record.id } }] } } }));
    const store = dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host });
    await expect(store.read(record.id)).rejects.toThrow('left this key unread');
  });

  it('reads a key that was left unread again as long as its author waits, and else four times', async () => {
    let left = 6;
    const { client, asked } = clientThat(() =>
      left-- > 0 ? { UnprocessedKeys: { claims: { Keys: [{ id: { S: record.id } }] } } } : found(toItem(record)),
    );
    const store = dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host });
    expect(await store.read(record.id, 60_000)).toEqual(record);
    expect(asked).toHaveLength(7);
    left = 6;
    await expect(store.read(record.id)).rejects.toThrow('left this key unread');
    expect(asked).toHaveLength(11);
  });

  it('waits as long to read what has refused a claim', async () => {
    let left = 6;
    const { client } = clientThat((command) => {
      if (command !== 'BatchGetItemCommand') return { Responses: [{ Error: { Code: conditionFailed } }, {}] };
      return left-- > 0 ? { UnprocessedKeys: { claims: { Keys: [{ id: { S: record.id } }] } } } : found(toItem(record));
    });
    const store = dynamoStore({ tableName: 'claims', aws: sdk({ dynamodb: client }), host });
    const refused = store.write({ next: record, seen: undefined, waitsMs: 60_000 });
    await store.write({ next: { ...record, id: 'other' }, seen: undefined });
    expect(await refused).toEqual({ applied: false, found: record });
  });
});
