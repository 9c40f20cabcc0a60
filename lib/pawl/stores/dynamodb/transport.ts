/** What pawl asks of DynamoDB, by the names of its API. */
export type Operation =
  | 'BatchExecuteStatement'
  | 'BatchGetItem'
  | 'DescribeTable'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'TransactWriteItems';

/**
 * Carries requests of pawl to DynamoDB: `leanDynamo()`, or the AWS SDK's client inside. It is for pawl's own requests, and not a client for the
 * tables of an application.
 */
export interface DynamoTransport {
  readonly kind: 'dynamo-transport';
  /**
   * Sends a request, and again as often as its policy allows.
   *
   * @param input as DynamoDB's API has it: attributes with their types, numbers as texts
   * @returns DynamoDB's response
   * @throws an error with the name of DynamoDB's, with `Item` and `CancellationReasons` where DynamoDB sends them. After any other error than a
   *   refusal, the request may have been applied
   */
  call(operation: Operation, input: object): Promise<object>;
  /** The region that it asks, for messages. @throws when it has none */
  region(): Promise<string>;
}

export function isTransport(client: object): client is DynamoTransport {
  return 'kind' in client && client.kind === 'dynamo-transport';
}
