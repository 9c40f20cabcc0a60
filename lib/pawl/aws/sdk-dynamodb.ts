import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoOperation, DynamoTransport } from './aws.ts';

/** The class of each operation's command. What goes into one, `stores/dynamodb/calls.ts` has the types of. */
const commands: Readonly<Record<DynamoOperation, new (input: never) => object>> = {
  BatchExecuteStatement: BatchExecuteStatementCommand,
  BatchGetItem: BatchGetItemCommand,
  DescribeTable: DescribeTableCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactWriteItems: TransactWriteItemsCommand,
};

/** Sends what pawl asks of DynamoDB through a client of the AWS SDK, which repeats a request by its own policy. */
export function sdkDynamo(client: DynamoDBClient): DynamoTransport {
  return {
    call: (operation, input) => client.send(new commands[operation](input as never) as never),
    region: async () => client.config.region(),
  };
}
