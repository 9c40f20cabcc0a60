import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { startDynamoDbLocal } from '../../lib/rehearsal/engine/servers/dynamodb-local.ts';
import { claimsTable, localClient } from '../../test/support/tables.ts';
import { runStatementCampaign, type StatementCampaign, type StatementCampaignResult } from './campaign.ts';

/** Runs a campaign over the claims of one store. */
export type InTable = (campaign: Omit<StatementCampaign, 'dynamodb'>) => Promise<StatementCampaignResult>;

/** Gives each campaign a table of its own in a DynamoDB Local that ends with the last of them. */
export async function inDynamoDb<T>(work: (inTable: InTable) => Promise<T>): Promise<T> {
  const { endpoint, stop } = await startDynamoDbLocal();
  const client = localClient(endpoint);
  try {
    return await work(async (campaign) => {
      const tableName = await claimsTable(client);
      const store = dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
      return runStatementCampaign({ ...campaign, dynamodb: { endpoint, tableName, store } });
    });
  } finally {
    client.destroy();
    await stop();
  }
}
