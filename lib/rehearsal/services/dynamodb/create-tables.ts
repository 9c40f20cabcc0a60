import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { InStack } from '../../engine/app/constructs.ts';
import type { Resource } from '../../engine/app/read-app.ts';
import { ofType, placeOf, properties, type Reading } from '../../engine/app/reading.ts';
import { list, record } from '../../engine/app/template.ts';

export interface ProvisionedTable extends InStack {
  readonly name: string;
  /** The ARN of its stream as DynamoDB Local has it; `undefined` if it has no stream. */
  readonly streamArn: string | undefined;
  /** The attributes that are its key. */
  readonly keys: readonly string[];
  /** The attribute that says when an item expires, in epoch seconds; `undefined` if items do not expire. */
  readonly ttlAttribute: string | undefined;
}

/** Creates the tables of the app, with their indexes and streams. */
export function createTables(reading: Reading, dynamo: DynamoDBClient): Promise<readonly ProvisionedTable[]> {
  const tables = ofType(reading, 'AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable');
  return Promise.all(tables.map((table) => createTable(table, dynamo)));
}

async function createTable(resource: Resource, dynamo: DynamoDBClient): Promise<ProvisionedTable> {
  const { KeySchema, AttributeDefinitions, LocalSecondaryIndexes, ...read } = properties(
    resource,
    'KeySchema',
    'AttributeDefinitions',
    'GlobalSecondaryIndexes',
    'LocalSecondaryIndexes',
    'StreamSpecification',
    'TimeToLiveSpecification',
  );
  const { StreamViewType } = record(read['StreamSpecification']);
  // The shapes are the API's own: CloudFormation took them from there. Everything else about a table is for production.
  const GlobalSecondaryIndexes = list(read['GlobalSecondaryIndexes']).map((index) => {
    const { IndexName, KeySchema: keys, Projection } = record(index);
    return { IndexName, KeySchema: keys, Projection };
  });
  const input = {
    TableName: resource.name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema,
    AttributeDefinitions,
    ...(GlobalSecondaryIndexes.length > 0 ? { GlobalSecondaryIndexes } : {}),
    ...(LocalSecondaryIndexes ? { LocalSecondaryIndexes } : {}),
    ...(StreamViewType ? { StreamSpecification: { StreamEnabled: true, StreamViewType } } : {}),
  } as CreateTableCommandInput;
  const { TableDescription } = await dynamo.send(new CreateTableCommand(input));
  const { AttributeName, Enabled } = record(read['TimeToLiveSpecification']);
  return {
    ...placeOf(resource),
    name: resource.name,
    streamArn: TableDescription?.LatestStreamArn,
    keys: list(KeySchema).map((key) => String(record(key)['AttributeName'])),
    ttlAttribute: AttributeName === undefined || String(Enabled) === 'false' ? undefined : String(AttributeName),
  };
}
