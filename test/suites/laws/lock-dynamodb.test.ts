import { afterAll, beforeAll, inject } from 'vitest';
import { dynamoLockStore } from '../../../lib/pawl/locks/dynamodb/store.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { lockStoreLaws } from '../../../lib/testing/index.ts';
import { lawTest } from '../../support/law-test.ts';
import { loseAnswersOf } from '../../support/lost-answers.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
const elsewhere = localClient(endpoint);
let tableName: string;

beforeAll(async () => {
  tableName = await claimsTable(client);
});
afterAll(() => {
  for (const each of [client, elsewhere]) each.destroy();
});

lockStoreLaws({
  test: lawTest,
  name: 'dynamoLockStore on DynamoDB Local',
  open: () => dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
  openElsewhere: () => dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: elsewhere }) })),
  // The SDK's own retry of a transaction carries its token, and DynamoDB answers as to the first. A caller's own does not.
  openLosingResponses() {
    const lossyClient = localClient(endpoint);
    const lost = loseAnswersOf(lossyClient);
    return { store: dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: lossyClient }) })), lost };
  },
});
