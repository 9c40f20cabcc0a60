import { nodeHost } from '../../host.ts';
import type { Host } from '../../kernel/host.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import type { KeepsNotes } from '../../rules/notes.ts';
import type { ListsOpenClaims } from '../../rules/open-claims.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { type ClaimTableOptions, claimTableOptionNames, tableOf } from './options.ts';
import { sharedRequests } from './shared-requests.ts';

/**
 * The options of `dynamoStore` and of `transactionalStore`.
 *
 * @example
 * const options: DynamoStoreOptions = { tableName: process.env.CLAIMS_TABLE };
 */
export interface DynamoStoreOptions extends ClaimTableOptions {
  /**
   * The clock and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Pick<Host, 'after' | 'random'> & Partial<Pick<Host, 'now'>>;
}

export const dynamoStoreOptionNames = {
  ...claimTableOptionNames,
  host: true,
} as const satisfies NamesOf<DynamoStoreOptions>;

/**
 * Claims in a DynamoDB table. What is asked for at the same time shares a request: up to 25 writes, up to 100 reads.
 *
 * Needs `dynamodb:BatchGetItem`, `PutItem`, `PartiQLInsert` and `PartiQLUpdate` on the table. `listOpen` needs
 * `dynamodb:Query` on its index `open`, and `GetItem` and `BatchGetItem` on the table: it is for operators, and no consumer calls it.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: DynamoStoreOptions): ClaimStore & ListsOpenClaims & KeepsNotes {
  expectOptions(options, { door: 'dynamoStore', known: dynamoStoreOptionNames, docs: 'docs/guides/adopt.md' });
  const { host = nodeHost } = options;
  return sharedRequests(tableOf(options, host.now), host);
}
