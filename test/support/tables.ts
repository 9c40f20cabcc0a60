import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { openIndex } from '../../lib/pawl/stores/dynamodb/open-index.ts';

/** A client for DynamoDB Local. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    ...config,
  });
}

/** Creates a claims table of its own for a test, and answers its name. */
export async function claimsTable(client: DynamoDBClient, TableName = `claims-${randomUUID()}`): Promise<string> {
  const { name: IndexName, partitionKey, sortKey, projected } = openIndex;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: partitionKey, AttributeType: 'S' },
        { AttributeName: sortKey, AttributeType: 'N' },
      ],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName,
          KeySchema: [
            { AttributeName: partitionKey, KeyType: 'HASH' },
            { AttributeName: sortKey, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...projected] },
        },
      ],
    }),
  );
  return TableName;
}

/** A claims table without an index of open claims. */
export async function tableWithoutIndex(client: DynamoDBClient, TableName = `claims-${randomUUID()}`): Promise<string> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  return TableName;
}

/** An outbox table, with its stream. @param StreamViewType what its records show */
export async function outboxTable(
  client: DynamoDBClient,
  StreamViewType: 'KEYS_ONLY' | 'NEW_IMAGE' = 'KEYS_ONLY',
): Promise<string> {
  const TableName = `outbox-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: 'n', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'id', KeyType: 'HASH' },
        { AttributeName: 'n', KeyType: 'RANGE' },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType },
    }),
  );
  return TableName;
}
