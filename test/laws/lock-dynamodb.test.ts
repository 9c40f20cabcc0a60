import { afterAll, beforeAll, inject } from 'vitest';
import { dynamoLockStore } from '../../lib/locks/dynamodb/store.ts';
import { loseAnswersOf } from '../support/lost-answers.ts';
import { claimsTable, localClient } from '../support/tables.ts';
import { lockLaws, sentTwice } from './lock-laws.ts';

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
let tableName: string;

beforeAll(async () => {
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());

lockLaws('dynamoLockStore on DynamoDB Local', async () => {
  const lossyClient = localClient(endpoint);
  const lost = loseAnswersOf(lossyClient);
  return {
    store: dynamoLockStore({ tableName, client }),
    lossy: { store: dynamoLockStore({ tableName, client: lossyClient }), lost },
  };
});

/** The SDK's own retry of a transaction carries its token, and DynamoDB answers as to the first. A caller's own does not. */
lockLaws('dynamoLockStore, whose transactions are sent again by others than the SDK', async () => {
  const store = dynamoLockStore({ tableName, client });
  return { store, lossy: sentTwice(store) };
});
