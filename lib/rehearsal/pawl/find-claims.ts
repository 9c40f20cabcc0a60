import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readClaims } from './claims-table.ts';

/** What the claims tables of an app say, if it has any. */
export interface FoundClaims {
  readonly tables: readonly string[];
  /** The ids of the claims that wait for an operator. */
  readonly parked: ReadonlySet<string>;
}

/** The index of open claims, which no other table has. */
const openIndex = 'open';

/** Those of the tables that hold claims, by their key and their index. */
export async function claimsTables(dynamo: DynamoDBClient, tables: readonly string[]): Promise<readonly string[]> {
  const ours: string[] = [];
  for (const name of tables) {
    const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: name }));
    const keys = (Table?.KeySchema ?? []).map(({ AttributeName }) => AttributeName);
    if (keys.length === 1 && keys[0] === 'id' && hasIndex(Table?.GlobalSecondaryIndexes)) ours.push(name);
  }
  return ours;
}

/** Finds the claims tables of an app, and reads what is parked in them. */
export async function findClaims(dynamo: DynamoDBClient, tables: readonly string[]): Promise<FoundClaims> {
  const ours = await claimsTables(dynamo, tables);
  const parked = new Set<string>();
  for (const name of ours) for (const id of (await readClaims(dynamo, name)).parked) parked.add(id);
  return { tables: ours, parked };
}

function hasIndex(indexes: readonly { readonly IndexName?: string | undefined }[] = []): boolean {
  return indexes.some(({ IndexName = '' }) => IndexName === openIndex);
}
