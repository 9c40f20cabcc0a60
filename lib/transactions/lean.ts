import type { KeepsNotes } from '../claims/notes.ts';
import type { ListsOpenClaims } from '../claims/open-claims.ts';
import { nodeHost } from '../host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { type LeanStoreOptions, leanStoreOptionNames, leanTableOf } from '../stores/dynamodb/lean/stores.ts';
import { sharedRequests } from '../stores/dynamodb/shared-requests.ts';
import { committing, type TransactionalStore } from './store.ts';

export type { Claim } from '../claims/claim.ts';
export type { KeepsNotes } from '../claims/notes.ts';
export type { ListsOpenClaims } from '../claims/open-claims.ts';
export type { SqsHandler } from '../sqs/each-message.ts';
export { type CommitOptions, commit } from './commit.ts';
export { type EachTransactionOptions, eachTransaction, type TransactionHandler } from './each-transaction.ts';
export { commitStep, inPhases, type Phases, type Writes } from './in-phases.ts';
export { CommitRefusedError } from './refused.ts';
export type { AppWrite, CommitResult, Refusal, TransactionalStore } from './store.ts';

/**
 * Claims in a DynamoDB table, as `transactionalStore` of `pawl/transactions`, without the AWS SDK's client in the bundle. The application's
 * writes go with a claim, in pawl's own transaction.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name or the region is missing
 * @example
 * const store = transactionalStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function transactionalStore(options: LeanStoreOptions): TransactionalStore & ListsOpenClaims & KeepsNotes {
  expectOptions(options, { door: 'transactionalStore', known: leanStoreOptionNames, docs: 'docs/guides/lean.md' });
  const { host = nodeHost } = options;
  const table = leanTableOf(options);
  return committing(sharedRequests(table, host), table);
}
