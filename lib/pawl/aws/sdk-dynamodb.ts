import {
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandInput,
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  DescribeTableCommand,
  type DescribeTableCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { DynamoOperation, DynamoTransport } from './aws.ts';

type Send = (client: DynamoDBClient, input: object) => Promise<object>;

const sends: Readonly<Record<DynamoOperation, Send>> = {
  BatchExecuteStatement: (client, input) =>
    client.send(new BatchExecuteStatementCommand(input as BatchExecuteStatementCommandInput)),
  BatchGetItem: (client, input) => client.send(new BatchGetItemCommand(input as BatchGetItemCommandInput)),
  DescribeTable: (client, input) => client.send(new DescribeTableCommand(input as DescribeTableCommandInput)),
  GetItem: (client, input) => client.send(new GetItemCommand(input as GetItemCommandInput)),
  PutItem: (client, input) => client.send(new PutItemCommand(input as PutItemCommandInput)),
  Query: (client, input) => client.send(new QueryCommand(input as QueryCommandInput)),
  Scan: (client, input) => client.send(new ScanCommand(input as ScanCommandInput)),
  TransactWriteItems: (client, input) =>
    client.send(new TransactWriteItemsCommand(input as TransactWriteItemsCommandInput)),
};

/** Sends what pawl asks of DynamoDB through a client of the AWS SDK, which repeats a request by its own policy. */
export function sdkDynamo(client: DynamoDBClient): DynamoTransport {
  return {
    call: (operation, input) => sends[operation](client, input),
    region: async () => client.config.region(),
  };
}
