import { nodeHost } from '../host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { KeepsNotes } from '../rules/notes.ts';
import type { ListsOpenClaims } from '../rules/open-claims.ts';
import type { SqsHandler } from '../sqs/each-by.ts';
import { leanQueues } from '../sqs/lean/lean-sqs.ts';
import type { SqsTransport } from '../sqs/transport.ts';
import { type LeanStoreOptions, leanStoreOptionNames, leanTableOf } from '../stores/dynamodb/lean/stores.ts';
import { sharedRequests } from '../stores/dynamodb/shared-requests.ts';
import { committing, type TransactionalStore } from './store.ts';
import { type EachTransactionOptions, eachTransactionOver, type TransactionHandler } from './write-consumer.ts';

export type { Claim } from '../engine/claim.ts';
export type { KeepsNotes } from '../rules/notes.ts';
export type { ListsOpenClaims } from '../rules/open-claims.ts';
export type { SqsHandler } from '../sqs/each-by.ts';
export type { SqsTransport } from '../sqs/transport.ts';
export { commit } from './commit.ts';
export type { CommitOptions } from './commit-claim.ts';
export { commitStep, inPhases, type Phases, type Writes } from './in-phases.ts';
export { CommitRefusedError, type Refusal } from './refused.ts';
export type { AppWrite, CommitResult, TransactionalStore } from './store.ts';
export type { EachTransactionOptions, TransactionHandler } from './write-consumer.ts';

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

/**
 * The options of a consumer whose effect is writes, over the lean transports.
 *
 * @example
 * import { bodyField, leanSqs } from 'pawl/sqs/lean';
 *
 * const options: LeanTransactionOptions<Order> = {
 *   operation: 'post-order',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   sqsClient: leanSqs(),
 * };
 */
export interface LeanTransactionOptions<Body> extends EachTransactionOptions<Body> {
  /**
   * What carries the requests to SQS: `leanSqs()` of `pawl/sqs/lean`, with options of its own.
   * @default `leanSqs()`
   */
  readonly sqsClient?: SqsTransport;
}

/**
 * A Lambda handler for an SQS queue whose only effect is writes to DynamoDB, as `eachTransaction` of `pawl/transactions`, without the AWS SDK in the
 * bundle.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { bodyField } from 'pawl/sqs/lean';
 *
 * const store = transactionalStore({ tableName: process.env.CLAIMS_TABLE });
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store, schema: Order, key: bodyField('id') },
 *   ({ body }) => [{ Put: { TableName: 'ledger', Item: { id: body.id, cents: body.amountCents } } }],
 * );
 */
export function eachTransaction<Body>(
  options: LeanTransactionOptions<Body>,
  writesOf: TransactionHandler<Body>,
): SqsHandler {
  return eachTransactionOver(leanQueues, options, writesOf);
}
