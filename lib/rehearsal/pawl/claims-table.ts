import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

/** The claims of a table, as they are stored. */
export interface StoredClaims {
  readonly total: number;
  /** The ids of the claims that wait for an operator. */
  readonly parked: ReadonlySet<string>;
}

/** Reads all claims of a table. Locks, which may be in the same table, have no status `parked`. */
export async function readClaims(dynamo: DynamoDBClient, tableName: string): Promise<StoredClaims> {
  const client = DynamoDBDocumentClient.from(dynamo);
  const parked = new Set<string>();
  let total = 0;
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName, ConsistentRead: true })) {
    total += Items.length;
    for (const { id, status } of Items) if (status === 'parked') parked.add(String(id));
  }
  return { total, parked };
}
