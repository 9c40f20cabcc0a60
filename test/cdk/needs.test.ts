import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import {
  claimActions,
  individualStoreActions,
  lockActions,
  restoredStoreActions,
  storeActions,
} from '../../lib/pawl/deployment/needs.ts';
import type { ClaimStore } from '../../lib/pawl/index.ts';
import { claimHeld, dynamoLockStore, forEachItem, readProgress, resourceLocks } from '../../lib/pawl/locks/index.ts';
import {
  dynamoStore,
  individualDynamoStore,
  markRestored,
  restoredTable,
  sdk,
} from '../../lib/pawl/stores/dynamodb/index.ts';
import { actionsOf } from '../support/actions.ts';
import { record } from '../support/records.ts';

/** The permissions that IAM would ask for, for all that is sent to DynamoDB, which answers that it did everything. */
async function askedFor(use: (client: DynamoDBClient) => Promise<void>): Promise<readonly string[]> {
  const asked = new Set<string>();
  const client = new DynamoDBClient({ region: 'eu-west-1' });
  client.middlewareStack.add((_, { commandName = '' }) => async ({ input }) => {
    for (const { action } of actionsOf(commandName.replace('Command', ''), input)) asked.add(action);
    const { Statements } = input as { readonly Statements?: readonly unknown[] };
    return {
      response: {},
      output: {
        $metadata: {},
        Table: { TableId: '1' },
        ...(Statements && { Responses: Statements.map(() => ({})) }),
      } as never,
    };
  });
  await use(client);
  return [...asked].sort();
}

/** All that a consumer does with its store. */
async function useClaims(store: ClaimStore): Promise<void> {
  const [first, second] = [record(), record({ id: 'issue-gift-card#order-2' })];
  await store.write({ next: first, seen: undefined });
  await Promise.all([first, second].map((next) => store.write({ next, seen: undefined })));
  await store.write({ next: { ...first, status: 'completed' }, seen: first });
  await store.read(first.id);
}

const table = { tableName: 'claims' };

test('what a consumer needs is what dynamoStore calls, and nothing else', async () => {
  const asked = await askedFor((client) => useClaims(dynamoStore({ ...table, aws: sdk({ dynamodb: client }) })));
  expect(asked).toEqual([...storeActions].sort());
});

test('and what individualDynamoStore calls, where that is used', async () => {
  const asked = await askedFor((client) =>
    useClaims(individualDynamoStore({ ...table, aws: sdk({ dynamodb: client }) })),
  );
  expect(asked).toEqual([...individualStoreActions].sort());
});

test('what a store of a restored table asks besides is granted to every consumer', async () => {
  const asked = await askedFor(async (client) => {
    const store = individualDynamoStore({ ...table, aws: sdk({ dynamodb: client }), restored: restoredTable });
    // The answer has no mark, so the store is closed. Which table it is, is asked to set one.
    await store.read('a').catch(() => undefined);
    await markRestored({ ...table, aws: sdk({ dynamodb: client }), cutOff: new Date(1000), by: 'ada', note: '' });
  });
  expect(asked).toEqual([...restoredStoreActions, 'dynamodb:PutItem'].sort());
  expect(claimActions).toEqual(expect.arrayContaining([...restoredStoreActions]));
});

test('what locks need is what pawl/locks calls, and nothing else', async () => {
  const asked = await askedFor(async (client) => {
    const store = dynamoLockStore(dynamoStore({ ...table, aws: sdk({ dynamodb: client }) }));
    const rules = { holder: 'request-1', unlock: { onSuccess: 'unlock', onFailure: 'keep' } } as const;
    await resourceLocks({ store }).withLock(['x', 'y'], rules, async (lock) => {
      const check = (some: readonly string[]) => store.stillLocked(lock, some);
      const work = { store, id: 'request-1', work: 'repay' };
      for (const fence of [store.stillHeld(lock), claimHeld({ operation: 'repay', key: '1', fence: 1 }, 'claims')]) {
        await forEachItem(['x', 'y'], { ...work, fence, check }, () => []);
      }
      await readProgress(work);
    });
  });
  expect(asked).toEqual([...lockActions].sort());
});
