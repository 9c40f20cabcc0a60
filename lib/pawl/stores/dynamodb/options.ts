import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { sdkTransport } from './sdk-transport.ts';
import { openTable, type RestorableTableOptions, type Table } from './table.ts';
import { type DynamoTransport, isTransport } from './transport.ts';

/**
 * What every claim store in DynamoDB needs.
 *
 * @example
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
 *
 * const options: TableOptions = { tableName: 'claims', client: new DynamoDBClient({ region: 'eu-central-1' }) };
 */
export interface TableOptions {
  /**
   * The claims table: partition key `id` (string), TTL on `expiresAt`, in one region only. `Consumer` sets the environment
   * variable `CLAIMS_TABLE` to its name. A missing name, `undefined` or an empty text, is reported at the first call: then nothing runs.
   */
  readonly tableName: string | undefined;
  /**
   * A client of your own, e.g. with tracing; or `leanDynamo()` of `pawl/dynamodb/lean`.
   * @default the SDK's client, which gives up on a request after 3 seconds, and tries 4 times
   */
  readonly client?: DynamoDBClient | DynamoTransport;
}

/**
 * What a claim store in DynamoDB needs.
 *
 * @example
 * const options: ClaimTableOptions = { tableName: process.env.CLAIMS_TABLE, restored: true };
 */
export interface ClaimTableOptions extends TableOptions, RestorableTableOptions {}

export const claimTableOptionNames = {
  tableName: true,
  client: true,
  restored: true,
} as const satisfies NamesOf<ClaimTableOptions>;

export const tableOptionNames = { tableName: true, client: true } as const satisfies NamesOf<TableOptions>;

/** @throws OptionError when the table's name is given, and is no text */
export function tableOf(options: ClaimTableOptions, now?: () => number): Table {
  const { client = defaultClient() } = options;
  return openTable(isTransport(client) ? client : sdkTransport(client), options, now);
}

/** The SDK's client that pawl makes where the author passes none. */
export function defaultClient(): DynamoDBClient {
  return new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}
