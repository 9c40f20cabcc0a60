import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { TableFacts } from './facts.ts';

/** One region of an account, while it is read. */
export interface Account {
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
  readonly dynamo: DynamoDBClient;
  readonly iam: IAMClient;
  readonly cloudFormation: CloudFormationClient;
  /** Most consumers of a stack share one table. Each table is read once. */
  readonly tables: Map<string, Promise<TableFacts | undefined>>;
}

/** @param region without one, the SDK's own: `AWS_REGION`, or the profile's */
export function openAccount(region: string | undefined): Account {
  const config = region === undefined ? {} : { region };
  return {
    lambda: new LambdaClient(config),
    sqs: new SQSClient(config),
    dynamo: new DynamoDBClient(config),
    iam: new IAMClient(config),
    cloudFormation: new CloudFormationClient(config),
    tables: new Map(),
  };
}

export function closeAccount({ lambda, sqs, dynamo, iam, cloudFormation }: Account): void {
  for (const client of [lambda, sqs, dynamo, iam, cloudFormation]) client.destroy();
}
