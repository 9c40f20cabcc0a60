import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  type TimeToLiveDescription,
} from '@aws-sdk/client-dynamodb';
import { type OpenIndex, openClaims, type RestoreMark, type TableFacts, type TimeToLive } from 'pawl/deployment';
import { sdk } from 'pawl/dynamodb';
import { describeTable, findMark } from 'pawl/internal/dynamodb';
import type { Account } from './account.ts';
import { orUndefined } from './or-undefined.ts';

/** What is known of a table; undefined if it could not be read. */
export function tableNamed({ dynamo, tables }: Account, TableName: string): Promise<TableFacts | undefined> {
  const known = tables.get(TableName) ?? orUndefined(() => readTable(dynamo, TableName));
  tables.set(TableName, known);
  return known;
}

/** @throws DynamoDB's error when the table does not exist, or the caller may not describe it */
async function readTable(dynamo: DynamoDBClient, TableName: string): Promise<TableFacts> {
  const [{ Table }, ttl, backups, mark] = await Promise.all([
    dynamo.send(new DescribeTableCommand({ TableName })),
    orUndefined(() => dynamo.send(new DescribeTimeToLiveCommand({ TableName }))),
    orUndefined(() => dynamo.send(new DescribeContinuousBackupsCommand({ TableName }))),
    readMark(dynamo, TableName),
  ]);
  const type = (name: string | undefined) =>
    Table?.AttributeDefinitions?.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  const keyOf = (schema: readonly KeySchemaElement[] = []) =>
    schema.map(({ AttributeName, KeyType }) => `${AttributeName} (${KeyType}, ${type(AttributeName)})`);
  const home = Table?.TableArn?.split(':')[3];
  return {
    name: Table?.TableName ?? TableName,
    arn: Table?.TableArn ?? '',
    key: keyOf(Table?.KeySchema),
    openIndex: openIndexOf(
      Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === openClaims.name),
      keyOf,
    ),
    mark,
    replicas: (Table?.Replicas ?? []).map(({ RegionName = '' }) => RegionName).filter((region) => region !== home),
    replication: Table?.MultiRegionConsistency === 'STRONG' ? 'strong' : 'eventual',
    ttl: ttlOf(ttl?.TimeToLiveDescription),
    isKept: Table?.DeletionProtectionEnabled ?? false,
    pointInTimeRecovery:
      backups === undefined
        ? undefined
        : backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
  };
}

/** Reads the mark of a restored table. Undefined when it could not be read: no other rule needs the permission to read items, so that is no finding. */
export async function readMark(dynamo: DynamoDBClient, TableName: string): Promise<RestoreMark | undefined> {
  try {
    const { dynamodb: transport } = sdk({ dynamodb: dynamo });
    const read = await orUndefined(async () => ({ found: await findMark(transport, TableName) }));
    if (read === undefined) return undefined;
    if (read.found === undefined) return { kind: 'none' };
    const { cutOff, liftedAt, liftedFor = {}, tableId } = read.found;
    if ((await describeTable(transport, TableName)).id !== tableId) return { kind: 'of-an-earlier-table' };
    return liftedAt === undefined ? { kind: 'stands', cutOff, liftedFor: Object.keys(liftedFor) } : { kind: 'lifted' };
  } catch (error) {
    // The table has another key, which is a finding of its own.
    if (error instanceof Error && error.name === 'ValidationException') return undefined;
    throw error;
  }
}

/** Undefined when it could not be read. */
function ttlOf(described: TimeToLiveDescription | undefined): TimeToLive | undefined {
  const { TimeToLiveStatus: status, AttributeName: attribute } = described ?? {};
  if (status === undefined) return undefined;
  const isOn = status === 'ENABLED' || status === 'ENABLING';
  return isOn && attribute !== undefined ? { kind: 'on', attribute } : { kind: 'off' };
}

function openIndexOf(
  index: GlobalSecondaryIndexDescription | undefined,
  keyOf: (schema: readonly KeySchemaElement[] | undefined) => readonly string[],
): OpenIndex {
  // While DynamoDB deletes it, it can be read no longer. While it is updated, it can.
  if (index === undefined || index.IndexStatus === 'DELETING') return { kind: 'missing' };
  if (index.IndexStatus === 'CREATING') return { kind: 'building' };
  const { ProjectionType, NonKeyAttributes = [] } = index.Projection ?? {};
  return { kind: 'there', key: keyOf(index.KeySchema), projected: ProjectionType === 'ALL' ? 'ALL' : NonKeyAttributes };
}
