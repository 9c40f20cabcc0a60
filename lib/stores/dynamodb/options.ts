import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from '../../kernel/check.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';

/** What every claim store in DynamoDB needs. */
export interface TableOptions {
  /**
   * The claims table: partition key `id` (string), TTL on `expiresAt`, in one region only. `undefined` is taken, and
   * refused with a clear message, because that is what a missing environment variable is.
   */
  readonly tableName: string | undefined;
  /**
   * A client of your own, e.g. with tracing.
   * @default a client that gives up on a request after 3 seconds, and tries 4 times
   */
  readonly client?: DynamoDBClient;
}

export const tableOptionNames = { tableName: true, client: true } as const satisfies NamesOf<TableOptions>;

/** @throws OptionError when the table's name is missing */
export function tableOf({ tableName, client }: TableOptions) {
  expect(typeof tableName === 'string' && tableName, 'tableName', "a table's name", tableName);
  return { TableName: tableName as string, client: client ?? defaultClient() };
}

function defaultClient(): DynamoDBClient {
  return new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}
