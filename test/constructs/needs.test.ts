import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { INDIVIDUAL_STORE_ACTIONS, STORE_ACTIONS } from '../../lib/constructs/needs.ts';
import type { ClaimStore } from '../../lib/index.ts';
import { dynamoStore, individualDynamoStore } from '../../lib/stores/dynamodb/index.ts';
import { record } from '../support/records.ts';

interface Sent {
  readonly Statements?: readonly { readonly Statement: string }[];
}

/** The permissions that IAM would ask for, for all that a store sends: PartiQL is permitted by statement. */
async function askedFor(storeOf: (client: DynamoDBClient) => ClaimStore): Promise<readonly string[]> {
  const asked = new Set<string>();
  const client = new DynamoDBClient({ region: 'eu-west-1' });
  client.middlewareStack.add((_, { commandName = '' }) => async ({ input }) => {
    const { Statements = [] } = input as Sent;
    for (const { Statement } of Statements)
      asked.add(Statement.startsWith('INSERT') ? 'PartiQLInsert' : 'PartiQLUpdate');
    if (Statements.length === 0) asked.add(commandName.replace('Command', ''));
    return { response: {}, output: { $metadata: {}, Responses: Statements.map(() => ({})) } as never };
  });
  const store = storeOf(client);
  const [first, second] = [record(), record({ id: 'issue-gift-card#order-2' })];
  await store.write({ next: first, seen: undefined });
  await Promise.all([first, second].map((next) => store.write({ next, seen: undefined })));
  await store.write({ next: { ...first, status: 'completed' }, seen: first });
  await store.read(first.id);
  return [...asked].map((action) => `dynamodb:${action}`).sort();
}

const store = { tableName: 'claims' };

test('what a consumer needs is what dynamoStore calls, and nothing else', async () => {
  expect(await askedFor((client) => dynamoStore({ ...store, client }))).toEqual([...STORE_ACTIONS].sort());
});

test('and what individualDynamoStore calls, where that is used', async () => {
  const asked = await askedFor((client) => individualDynamoStore({ ...store, client }));
  expect(asked).toEqual([...INDIVIDUAL_STORE_ACTIONS].sort());
});
