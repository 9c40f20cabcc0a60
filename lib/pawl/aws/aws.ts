import { expect } from '../kernel/check.ts';
import { propertyOf } from '../kernel/unknown.ts';

/*
 * The way to AWS, as a store carries it and a door uses it.
 *
 * Owns: the port. Does not own: the two ways (`sdk.ts`, `lean.ts`). No store and no door imports either of them: what a function bundles follows from the
 * entry that its store is of.
 */

/** What pawl asks of DynamoDB, by the names of its API. */
export type DynamoOperation =
  | 'BatchExecuteStatement'
  | 'BatchGetItem'
  | 'DescribeTable'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'TransactWriteItems';

/** Carries requests of pawl to DynamoDB. It is no client for the tables of an application. */
export interface DynamoTransport {
  /**
   * Sends a request, and again as often as its policy allows.
   *
   * @param input as DynamoDB's API has it: attributes with their types, numbers as texts
   * @returns DynamoDB's response
   * @throws an error with the name of DynamoDB's, with `Item` and `CancellationReasons` where DynamoDB sends them. After any other error than a
   *   refusal, the request may have been applied
   */
  call(operation: DynamoOperation, input: object): Promise<object>;
  /** The region that it asks, for messages. @throws when it has none */
  region(): Promise<string>;
}

/** What pawl asks of SQS, by the names of its API. */
export type SqsOperation =
  | 'ChangeMessageVisibilityBatch'
  | 'DeleteMessage'
  | 'GetQueueAttributes'
  | 'ListDeadLetterSourceQueues'
  | 'ReceiveMessage'
  | 'SendMessage';

/**
 * Carries requests of pawl to SQS. It is no client for the queues of an application.
 *
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const { aws } = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const sqs: SqsTransport = aws.sqs;
 */
export interface SqsTransport {
  /**
   * Sends a request, and again as often as its policy allows. The host in the URL of a queue does not count.
   *
   * @param input as SQS's API has it
   * @param options `abortSignal` gives the request up. It may have been applied
   * @returns SQS's response
   * @throws an error with the name of SQS's
   */
  call(operation: SqsOperation, input: object, options?: { readonly abortSignal?: AbortSignal }): Promise<object>;
}

/**
 * The way to AWS: `sdk()` of `pawl/dynamodb`, or `lean()` of `pawl/dynamodb/lean`. A store in DynamoDB has one, and every door uses that of its store.
 *
 * @example
 * import { lean } from 'pawl/dynamodb/lean';
 *
 * const aws: Aws = lean({ region: 'eu-central-1' });
 */
export interface Aws {
  readonly dynamodb: DynamoTransport;
  readonly sqs: SqsTransport;
}

/** What makes a way to AWS, for messages. */
export const waysToAws = 'sdk() of pawl/dynamodb, or lean() of pawl/dynamodb/lean';

/** @throws OptionError when the option `aws` is given, or required, and is no way to AWS */
export function expectAws(aws: Aws | undefined, needed: 'required' | 'optional' = 'optional'): void {
  const given: unknown = aws;
  const asks = (service: keyof Aws) => typeof propertyOf(propertyOf(given, service), 'call') === 'function';
  const expected = `${waysToAws}: a client of your own goes into sdk({ … })`;
  expect((given === undefined && needed === 'optional') || (asks('dynamodb') && asks('sqs')), 'aws', expected, given);
}
