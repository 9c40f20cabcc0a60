import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { dynamoLockStore } from '../../../lib/pawl/locks/dynamodb/store.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import {
  dynamoStore,
  individualDynamoStore,
  type LeanTableOptions,
  leanDynamo,
} from '../../../lib/pawl/stores/dynamodb/lean/index.ts';
import { claimStoreLaws, lockStoreLaws } from '../../../lib/testing/index.ts';
import { inCompany } from '../../support/in-company.ts';
import { lawTest } from '../../support/law-test.ts';
import { leanOver, losingResponses } from '../../support/lean.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const endpoint = inject('dynamoEndpoint');
const sdk = localClient(endpoint);
const options = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const client = leanDynamo(options);
const elsewhere = leanDynamo(options);
let tableName: string;

beforeAll(async () => {
  tableName = await claimsTable(sdk);
});
afterAll(() => {
  for (const each of [sdk, client, elsewhere]) each.destroy();
});

function laws(name: string, open: (options: LeanTableOptions) => ClaimStore, runs: number): void {
  claimStoreLaws({
    test: lawTest,
    name: `${name} over leanDynamo on DynamoDB Local`,
    open: () => open({ tableName, client }),
    openElsewhere: () => open({ tableName, client: elsewhere }),
    openLosingResponses() {
      const losing = losingResponses(endpoint);
      return { store: open({ tableName, client: leanOver(endpoint, losing.http) }), lost: losing.lost };
    },
    listsOpenClaims: true,
    races: 10 * runs,
    runs,
  });
}

laws('dynamoStore', dynamoStore, 15);
laws('individualDynamoStore', individualDynamoStore, 10);
laws('dynamoStore, always in a batch', (given) => inCompany(dynamoStore(given)), 15);

lockStoreLaws({
  test: lawTest,
  name: 'dynamoLockStore over leanDynamo on DynamoDB Local',
  open: () => dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
  openElsewhere: () => dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: elsewhere }) })),
  openLosingResponses() {
    const losing = losingResponses(endpoint);
    return {
      store: dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: leanOver(endpoint, losing.http) }) })),
      lost: losing.lost,
    };
  },
});

it('an option of the SDK’s client is refused, with the way to have it', () => {
  const given = { tableName, client: sdk } as never;
  expect(() => dynamoStore(given)).toThrow('import the same function from pawl/dynamodb');
});
