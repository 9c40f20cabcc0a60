import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { environmentName } from '../../kernel/check.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';

/** What every claim store in DynamoDB needs. */
export interface TableOptions {
  /**
   * The claims table: partition key `id` (string), TTL on `expiresAt`, in one region only. `Consumer` sets the environment
   * variable `CLAIMS_TABLE` to its name. A missing name, `undefined` or an empty text, is reported at the first call: then nothing runs.
   */
  readonly tableName: string | undefined;
  /**
   * A client of your own, e.g. with tracing.
   * @default a client that gives up on a request after 3 seconds, and tries 4 times
   */
  readonly client?: DynamoDBClient;
}

export const tableOptionNames = { tableName: true, client: true } as const satisfies NamesOf<TableOptions>;

/** @throws OptionError when the table's name is given, and is no text */
export function tableOf({ tableName, client }: TableOptions) {
  const { read, setupError } = environmentName('tableName', {
    value: tableName,
    expected: "a table's name",
    variable:
      'The construct Consumer sets the environment variable CLAIMS_TABLE. For a function without a Consumer, set it, and pass process.env.CLAIMS_TABLE.',
  });
  return { nameOfTable: read, setupError, client: client ?? defaultClient() };
}

function defaultClient(): DynamoDBClient {
  return new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}
