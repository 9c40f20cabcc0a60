import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  DescribeTableCommandInput,
  DescribeTableCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { DynamoOperation, DynamoTransport } from '../../aws/aws.ts';

/**
 * The requests of the stores, with the types of the AWS SDK. Only its types are imported, so that a lean consumer does not load the SDK.
 */

interface Call<Input, Output> {
  readonly input: Input;
  readonly output: Omit<Output, '$metadata'>;
}

/** What goes in and comes out, by operation. */
interface Calls extends Record<DynamoOperation, Call<object, object>> {
  BatchExecuteStatement: Call<BatchExecuteStatementCommandInput, BatchExecuteStatementCommandOutput>;
  BatchGetItem: Call<BatchGetItemCommandInput, BatchGetItemCommandOutput>;
  DescribeTable: Call<DescribeTableCommandInput, DescribeTableCommandOutput>;
  GetItem: Call<GetItemCommandInput, GetItemCommandOutput>;
  PutItem: Call<PutItemCommandInput, PutItemCommandOutput>;
  Query: Call<QueryCommandInput, QueryCommandOutput>;
  Scan: Call<ScanCommandInput, ScanCommandOutput>;
  TransactWriteItems: Call<TransactWriteItemsCommandInput, TransactWriteItemsCommandOutput>;
}

/** @throws as the transport does */
export function call<Name extends DynamoOperation>(
  transport: DynamoTransport,
  operation: Name,
  input: Calls[Name]['input'],
): Promise<Calls[Name]['output']> {
  return transport.call(operation, input) as Promise<Calls[Name]['output']>;
}
