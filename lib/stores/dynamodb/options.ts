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

/** What a store of claims may be told of its table. */
export interface ClaimTableOptions extends TableOptions {
  /**
   * The table was restored from a point in time. While its mark stands (`pawl restored`), a key that it may have forgotten is in doubt, and
   * `onAbandoned` decides. Without a mark, nothing runs.
   * @default false
   */
  readonly restored?: boolean;
}

export const claimTableOptionNames = {
  tableName: true,
  client: true,
  restored: true,
} as const satisfies NamesOf<ClaimTableOptions>;

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
