import { afterAll, beforeAll, inject } from 'vitest';
import { dynamoStore } from '../../lib/stores/dynamodb/index.ts';
import { loseAnswersOf } from '../support/lost-answers.ts';
import { claimsTable, localClient } from '../support/tables.ts';
import { storeLaws } from './store-laws.ts';

const endpoint = inject('dynamoEndpoint');
const client = localClient(endpoint);
let tableName: string;

beforeAll(async () => {
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());

storeLaws(
  'dynamoStore on DynamoDB Local',
  async () => {
    const lossyClient = localClient(endpoint);
    const lost = loseAnswersOf(lossyClient);
    return {
      store: dynamoStore({ tableName, client }),
      lossy: { store: dynamoStore({ tableName, client: lossyClient }), lost },
    };
  },
  { races: 1000, runs: 100 },
);
