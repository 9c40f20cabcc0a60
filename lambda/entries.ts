import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { required } from './environment.ts';
import type { Entry } from './ledger.ts';

const TableName = required('LEDGER_TABLE');
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** All entries of the ledger. */
export async function readEntries(): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    entries.push(...(Items as Entry[]));
  }
  return entries;
}
