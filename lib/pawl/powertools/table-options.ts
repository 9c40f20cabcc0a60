import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/**
 * Where Powertools' records are, by the names of its own options.
 *
 * @example
 * const options: RecordTableOptions = { tableName: 'idempotencyTable', keyAttr: 'key' };
 */
export interface RecordTableOptions {
  /** Powertools' table. */
  readonly tableName: string | undefined;
  /**
   * The partition key.
   * @default 'id'
   */
  readonly keyAttr?: string;
  /**
   * Where the table has a sort key: its name.
   * @default none
   */
  readonly sortKeyAttr?: string;
  /**
   * With `sortKeyAttr`: the partition of all records.
   * @default `idempotency#` and the name of the Lambda function
   */
  readonly staticPkValue?: string;
  /**
   * The attribute of the status.
   * @default 'status'
   */
  readonly statusAttr?: string;
  /**
   * The attribute of the end of a record, in epoch seconds.
   * @default 'expiration'
   */
  readonly expiryAttr?: string;
  /**
   * The attribute of the end of an attempt, in epoch milliseconds.
   * @default 'in_progress_expiration'
   */
  readonly inProgressExpiryAttr?: string;
  /**
   * The attribute of the response.
   * @default 'data'
   */
  readonly dataAttr?: string;
  /**
   * The attribute of the hash that payloads are compared by.
   * @default 'validation'
   */
  readonly validationKeyAttr?: string;
  /**
   * A client of your own, e.g. with tracing.
   * @default a client of the AWS SDK, by `clientConfig`
   */
  readonly awsSdkV3Client?: DynamoDBClient;
  /**
   * The configuration of the client, where there is no client of your own.
   * @default the SDK's own
   */
  readonly clientConfig?: DynamoDBClientConfig;
}

export const recordTableOptionNames = {
  tableName: true,
  keyAttr: true,
  sortKeyAttr: true,
  staticPkValue: true,
  statusAttr: true,
  expiryAttr: true,
  inProgressExpiryAttr: true,
  dataAttr: true,
  validationKeyAttr: true,
  awsSdkV3Client: true,
  clientConfig: true,
} as const;

/** Whether the author says which client to use. */
export function namesClient({ awsSdkV3Client, clientConfig }: RecordTableOptions): boolean {
  return awsSdkV3Client !== undefined || clientConfig !== undefined;
}
