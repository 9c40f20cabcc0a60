import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TimeToLiveDescription,
} from '@aws-sdk/client-dynamodb';
import type { TimeToLive } from '../wiring-table.ts';
import type { TableFacts } from './facts.ts';
import { orUndefined } from './or-undefined.ts';

/** @throws DynamoDB's error when the table does not exist, or the caller may not describe it */
export async function readTable(dynamo: DynamoDBClient, TableName: string): Promise<TableFacts> {
  const [{ Table }, ttl, backups] = await Promise.all([
    dynamo.send(new DescribeTableCommand({ TableName })),
    orUndefined(() => dynamo.send(new DescribeTimeToLiveCommand({ TableName }))),
    orUndefined(() => dynamo.send(new DescribeContinuousBackupsCommand({ TableName }))),
  ]);
  const type = (name: string | undefined) =>
    Table?.AttributeDefinitions?.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  const home = Table?.TableArn?.split(':')[3];
  return {
    name: Table?.TableName ?? TableName,
    arn: Table?.TableArn ?? '',
    key: (Table?.KeySchema ?? []).map(
      ({ AttributeName, KeyType }) => `${AttributeName} (${KeyType}, ${type(AttributeName)})`,
    ),
    replicas: (Table?.Replicas ?? []).map(({ RegionName = '' }) => RegionName).filter((region) => region !== home),
    ttl: ttlOf(ttl?.TimeToLiveDescription),
    isKept: Table?.DeletionProtectionEnabled ?? false,
    pointInTimeRecovery:
      backups === undefined
        ? undefined
        : backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED',
  };
}

/** Undefined when it could not be read. */
function ttlOf(described: TimeToLiveDescription | undefined): TimeToLive | undefined {
  const { TimeToLiveStatus: status, AttributeName: attribute } = described ?? {};
  if (status === undefined) return undefined;
  const isOn = status === 'ENABLED' || status === 'ENABLING';
  return isOn && attribute !== undefined ? { kind: 'on', attribute } : { kind: 'off' };
}
