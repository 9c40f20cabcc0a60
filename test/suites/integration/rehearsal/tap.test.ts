import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { startTap, type Tap, type TapCall, type TapHooks } from '../../../../lib/rehearsal/engine/servers/tap.ts';
import { eventually } from '../../../support/eventually.ts';

const TableName = 'tapped';
const credentials = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 'local' });
const clientOf = (endpoint: string, sandbox = 'SANDBOX0042') =>
  new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: credentials(sandbox), maxAttempts: 1 });

const direct = clientOf(inject('dynamoEndpoint'));
const put = (id: string) => new PutItemCommand({ TableName, Item: { id: { S: id } } });
const exists = async (id: string) =>
  (await direct.send(new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }))).Item !==
  undefined;

let tap: Tap;
const kill = vi.fn<(sandbox: string) => void>();

async function tapped(hooks: TapHooks): Promise<DynamoDBClient> {
  tap = await startTap({ target: inject('dynamoEndpoint'), hooks, kill });
  return clientOf(tap.endpoint);
}

beforeAll(async () => {
  await direct.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
});
afterEach(async () => {
  kill.mockReset();
  await tap.stop();
});

describe('the tap', () => {
  test('lets calls through, and knows who calls and what for', async () => {
    const calls: TapCall[] = [];
    const answered = vi.fn(() => 'pass' as const);
    const client = await tapped({
      onRequest(call) {
        calls.push(call);
        return 'pass';
      },
      onAnswered: answered,
    });
    await client.send(put('through'));
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { id: { S: 'through' } } }));
    expect(Item).toEqual({ id: { S: 'through' } });
    expect(calls.map(({ sandbox, operation }) => [sandbox, operation])).toEqual([
      ['SANDBOX0042', 'PutItem'],
      ['SANDBOX0042', 'GetItem'],
    ]);
    expect(calls[0]?.body).toContain('"through"');
    await eventually('both were answered', () => expect(answered).toHaveBeenCalledTimes(2));
  });

  test('hands on what the server refuses, as the server said it', async () => {
    const client = await tapped({});
    const refused = client.send(new GetItemCommand({ TableName: 'nowhere', Key: { id: { S: 'x' } } }));
    await expect(refused).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('drops a call before the server sees it', async () => {
    const client = await tapped({ onRequest: () => 'drop' });
    await expect(client.send(put('dropped-before'))).rejects.toThrow();
    expect(await exists('dropped-before')).toBe(false);
    expect(kill).not.toHaveBeenCalled();
  });

  test('kills the caller after the server did it, before the caller knows', async () => {
    const client = await tapped({ onResponse: (_, { status }) => (status === 200 ? 'kill' : 'pass') });
    await expect(client.send(put('killed-after'))).rejects.toThrow();
    expect(await exists('killed-after')).toBe(true);
    expect(kill).toHaveBeenCalledExactlyOnceWith('SANDBOX0042', expect.objectContaining({ operation: 'PutItem' }));
  });

  test('kills the caller after it was told', async () => {
    const client = await tapped({ onAnswered: () => 'kill' });
    await client.send(put('told'));
    await eventually('its caller is killed', () =>
      expect(kill).toHaveBeenCalledExactlyOnceWith('SANDBOX0042', expect.objectContaining({ operation: 'PutItem' })),
    );
  });

  test('delays', async () => {
    const client = await tapped({ onRequest: () => ({ delayMs: 30 }) });
    await client.send(put('late'));
    expect(await exists('late')).toBe(true);
  });
});
