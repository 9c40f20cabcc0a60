import { nodeHost } from '../host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import type { ListsOpenClaims } from '../rules/open-claims.ts';
import { tableOf } from '../stores/dynamodb/options.ts';
import { sharedRequests } from '../stores/dynamodb/shared-requests.ts';
import { type DynamoStoreOptions, dynamoStoreOptionNames } from '../stores/dynamodb/store.ts';
import { committing, type TransactionalStore } from './store.ts';

/**
 * Claims in a DynamoDB table, as `dynamoStore`, whose writes can carry the application's: `commit`, `inPhases` and
 * `eachTransaction` need it.
 *
 * Needs, besides what `dynamoStore` needs, `dynamodb:PutItem` on the claims table, and on the application's tables whatever its
 * writes need.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = transactionalStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function transactionalStore(options: DynamoStoreOptions): TransactionalStore & ListsOpenClaims & KeepsNotes {
  expectOptions(options, {
    door: 'transactionalStore',
    known: dynamoStoreOptionNames,
    docs: 'docs/guides/transactions.md',
  });
  const { host = nodeHost } = options;
  const table = tableOf(options);
  return committing(sharedRequests(table, host), table);
}
