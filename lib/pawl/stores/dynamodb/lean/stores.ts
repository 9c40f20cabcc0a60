import { nodeHost } from '../../../host.ts';
import { expect } from '../../../kernel/check.ts';
import type { Host } from '../../../kernel/host.ts';
import { expectOptions } from '../../../kernel/take-options.ts';
import type { NamesOf } from '../../../kernel/unknown-option.ts';
import type { KeepsNotes } from '../../../rules/notes.ts';
import type { ListsOpenClaims } from '../../../rules/open-claims.ts';
import type { ClaimStore } from '../../../rules/store.ts';
import { sharedRequests } from '../shared-requests.ts';
import { singleRequests } from '../single-requests.ts';
import { openTable, type RestorableTableOptions, type Table } from '../table.ts';
import { type DynamoTransport, isTransport } from '../transport.ts';
import { leanDynamo } from './lean-dynamo.ts';

/**
 * What a claim store over the lean transport needs.
 *
 * @example
 * const options: LeanTableOptions = { tableName: process.env.CLAIMS_TABLE, client: leanDynamo() };
 */
export interface LeanTableOptions extends RestorableTableOptions {
  /** The claims table, as for `pawl/dynamodb`. A missing name, `undefined` or an empty text, is reported at the first call: then nothing runs. */
  readonly tableName: string | undefined;
  /**
   * What carries the requests: `leanDynamo()` with options of its own.
   * @default `leanDynamo()`
   */
  readonly client?: DynamoTransport;
}

/**
 * The options of `dynamoStore` and `transactionalStore` over the lean transport.
 *
 * @example
 * const options: LeanStoreOptions = { tableName: process.env.CLAIMS_TABLE, restored: true };
 */
export interface LeanStoreOptions extends LeanTableOptions {
  /**
   * The clock and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Pick<Host, 'after' | 'random'> & Partial<Pick<Host, 'now'>>;
}

const tableOptionNames = { tableName: true, client: true, restored: true } as const satisfies NamesOf<LeanTableOptions>;
/** @internal */
export const leanStoreOptionNames = { ...tableOptionNames, host: true } as const satisfies NamesOf<LeanStoreOptions>;

/** @throws OptionError when the table's name is no text, or the client is another one. @internal */
export function leanTableOf(options: LeanTableOptions, now?: () => number): Table {
  const { client = leanDynamo() } = options;
  const isLean = typeof client === 'object' && client !== null && isTransport(client);
  const expected = "leanDynamo(); for the AWS SDK's client, import the same function from pawl/dynamodb";
  expect(isLean, 'client', expected, typeof client === 'object' ? 'another client' : client);
  return openTable(client, options, now);
}

/**
 * Claims in a DynamoDB table, as `dynamoStore` of `pawl/dynamodb`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name or the region is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: LeanStoreOptions): ClaimStore & ListsOpenClaims & KeepsNotes {
  expectOptions(options, { door: 'dynamoStore', known: leanStoreOptionNames, docs: 'docs/guides/lean.md' });
  const { host = nodeHost } = options;
  return sharedRequests(leanTableOf(options, host.now), host);
}

/**
 * Claims in a DynamoDB table, as `individualDynamoStore` of `pawl/dynamodb`, without the AWS SDK in the bundle.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name or the region is missing
 * @example
 * const store = individualDynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function individualDynamoStore(options: LeanTableOptions): ClaimStore & ListsOpenClaims & KeepsNotes {
  expectOptions(options, { door: 'individualDynamoStore', known: tableOptionNames, docs: 'docs/guides/lean.md' });
  return singleRequests(leanTableOf(options));
}
