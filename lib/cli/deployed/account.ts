import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { TableFacts } from 'pawl/deployment';
import type { ClientConfig } from '../client-config.ts';
import { openSchedules, type Schedules } from './schedules.ts';

/** One region of an account, while it is read. */
export interface Account {
  readonly lambda: LambdaClient;
  readonly sqs: SQSClient;
  readonly dynamo: DynamoDBClient;
  readonly iam: IAMClient;
  readonly cloudFormation: CloudFormationClient;
  /** Most consumers of a stack share one table. Each table is read once. */
  readonly tables: Map<string, Promise<TableFacts | undefined>>;
  /** Opened for the first function that a schedule starts. */
  readonly schedules: () => Promise<Schedules>;
  readonly close: () => Promise<void>;
}

export function openAccount(config: ClientConfig): Account {
  const clients = {
    lambda: new LambdaClient(config),
    sqs: new SQSClient(config),
    dynamo: new DynamoDBClient(config),
    iam: new IAMClient(config),
    cloudFormation: new CloudFormationClient(config),
  };
  let schedules: Promise<Schedules> | undefined;
  return {
    ...clients,
    tables: new Map(),
    schedules() {
      schedules ??= openSchedules(config);
      return schedules;
    },
    async close() {
      for (const client of Object.values(clients)) client.destroy();
      // If it could not be opened, that has been reported.
      const opened = await schedules?.catch(() => undefined);
      for (const client of [opened?.events, opened?.cloudWatch]) client?.destroy();
    },
  };
}
