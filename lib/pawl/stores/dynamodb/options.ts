import type { Aws } from '../../aws/aws.ts';
import type { Host } from '../../kernel/host.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import type { RestoredTable } from './restored-store.ts';

/**
 * What names a table, and the way to it.
 *
 * @example
 * const options: TableOptions = { tableName: 'claims', aws: sdk() };
 */
export interface TableOptions {
  /**
   * The claims table: partition key `id` (string), TTL on `expiresAt`, in one region only. `Consumer` sets the environment
   * variable `CLAIMS_TABLE` to its name. A missing name, `undefined` or an empty text, is reported at the first call: then nothing runs.
   */
  readonly tableName: string | undefined;
  /**
   * The way to AWS, if it has options or clients of its own: `sdk({ … })`, or `lean({ … })`. The doors over the store use it for SQS as well.
   * @default `sdk()`; for the stores of `pawl/dynamodb/lean`, `lean()`
   */
  readonly aws?: Aws;
}

/**
 * The options of `dynamoStore` and of `individualDynamoStore`.
 *
 * @example
 * const options: DynamoStoreOptions = { tableName: process.env.CLAIMS_TABLE, restored: restoredTable };
 */
export interface DynamoStoreOptions extends TableOptions {
  /**
   * `restoredTable`: the table was restored from a point in time. While its mark stands (`pawl restored`), a key that it may have forgotten is in doubt,
   * and `onAbandoned` decides. Without a mark, nothing runs.
   * @default the table was not restored
   */
  readonly restored?: RestoredTable | undefined;
  /**
   * The clock and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Pick<Host, 'after' | 'random'> & Partial<Pick<Host, 'now'>>;
}

export const tableOptionNames = { tableName: true, aws: true } as const satisfies NamesOf<TableOptions>;

export const dynamoStoreOptionNames = {
  ...tableOptionNames,
  restored: true,
  host: true,
} as const satisfies NamesOf<DynamoStoreOptions>;
