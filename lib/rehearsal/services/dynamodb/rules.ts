import { arnOf } from '../../engine/app/names.ts';
import {
  all,
  listed,
  listedIf,
  type Naming,
  type PropertyRules,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';
import { record } from '../../engine/app/template.ts';

const table = {
  ...all(run, 'TableName', 'KeySchema', 'AttributeDefinitions', 'StreamSpecification.StreamViewType'),
  ...all(run, 'GlobalSecondaryIndexes.IndexName', 'GlobalSecondaryIndexes.KeySchema'),
  ...all(run, 'GlobalSecondaryIndexes.Projection', 'LocalSecondaryIndexes'),
  ...all(withoutEffect, 'BillingMode', 'ProvisionedThroughput', 'OnDemandThroughput', 'WarmThroughput', 'TableClass'),
  ...all(withoutEffect, 'SSESpecification', 'PointInTimeRecoverySpecification', 'DeletionProtectionEnabled', 'Tags'),
  ...all(withoutEffect, 'ResourcePolicy', 'ContributorInsightsSpecification', 'StreamSpecification.ResourcePolicy'),
  ...all(withoutEffect, 'GlobalSecondaryIndexes.ProvisionedThroughput', 'GlobalSecondaryIndexes.OnDemandThroughput'),
  ...all(withoutEffect, 'GlobalSecondaryIndexes.WarmThroughput'),
  ...all(withoutEffect, 'GlobalSecondaryIndexes.ContributorInsightsSpecification'),
  TimeToLiveSpecification: listedIf(
    (value) => String(record(value)['Enabled']) !== 'false',
    'No item expires, but by the fault `ttl`. AWS deletes expired items within a few days.',
  ),
  KinesisStreamSpecification: listed('No change goes to Kinesis.'),
  ImportSourceSpecification: listed('The table starts empty.'),
} satisfies PropertyRules;

const globalTable = {
  ...table,
  ...all(withoutEffect, 'WriteProvisionedThroughputSettings', 'WriteOnDemandThroughputSettings'),
  ...all(withoutEffect, 'GlobalSecondaryIndexes.WriteProvisionedThroughputSettings'),
  ...all(withoutEffect, 'GlobalSecondaryIndexes.WriteOnDemandThroughputSettings'),
  Replicas: listedIf(
    (value) => Array.isArray(value) && value.length > 1,
    'There is one region, and no replication between several.',
  ),
} satisfies PropertyRules;

/** The ARN of a table's stream in a template. DynamoDB Local gives another one, when it creates the table. */
export function streamArnOf(table: string): string {
  return arnOf('dynamodb', `table/${table}/stream/rehearsal`);
}

const naming: Naming = {
  property: 'TableName',
  isUnique: true,
  names: (name) => ({
    ref: name,
    attributes: { Arn: arnOf('dynamodb', `table/${name}`), StreamArn: streamArnOf(name) },
  }),
};

export const types: TypeRules = {
  'AWS::DynamoDB::Table': runs(table, naming),
  'AWS::DynamoDB::GlobalTable': runs(globalTable, naming),
};
