import { afterAll, inject } from 'vitest';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { withListing } from '../../../lib/pawl/stores/listing.ts';
import { claimsTable, localClient } from '../../support/tables.ts';
import { remedyLaws } from './remedies.ts';

const client = localClient(inject('dynamoEndpoint'));
afterAll(() => client.destroy());

remedyLaws('dynamoStore', async () =>
  withListing(dynamoStore({ tableName: await claimsTable(client), aws: sdk({ dynamodb: client }) })),
);
