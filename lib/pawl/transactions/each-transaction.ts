import { requestMs } from '../engine/engine.ts';
import type { SqsHandler } from '../sqs/each-by.ts';
import type { Message } from '../sqs/message.ts';
import type { CommitWrite } from './deferred-write.ts';
import type { TransactionalStore } from './store.ts';
import { consumeTransactions, type TransactionOptions } from './transaction-consumer.ts';
import { carrierOf, expectTransactional, writesFrom } from './write-carrier.ts';

/**
 * The options of `eachTransaction`: those of `eachMessage` that a transaction has a use for.
 *
 * @example
 * import { RejectedError } from 'pawl';
 * import { bodyField } from 'pawl/sqs';
 *
 * const options: EachTransactionOptions<Order> = {
 *   operation: 'post-order',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   onRefused: (refused) => new RejectedError(refused.message),
 * };
 */
export interface EachTransactionOptions<Body> extends TransactionOptions<Body> {
  /** Where the claims are kept: `transactionalStore(dynamoStore({ tableName }))`, which commits them with the writes. */
  readonly store: TransactionalStore;
}

/**
 * From a message to the writes that are its whole effect. May read; does nothing else: it can be called more than once.
 *
 * @example
 * const writesOf: TransactionHandler<Order> = ({ body }) => [
 *   { Put: { TableName: 'ledger', Item: { id: `${body.id}/debit`, cents: -body.amountCents } } },
 *   { Put: { TableName: 'ledger', Item: { id: `${body.id}/credit`, cents: body.amountCents } } },
 * ];
 */
export type TransactionHandler<Body> = (
  message: Message<Body>,
) => Promise<readonly CommitWrite[]> | readonly CommitWrite[];

/**
 * A Lambda handler for an SQS queue whose only effect is writes to DynamoDB. Claim, effect and completion are one transaction:
 * one request for a message that is new. There is no lease to outlive, and no attempt leaves anything in doubt.
 * What another door left in doubt, before its operation was deployed here, `onInheritedDoubt` decides: it is parked by default.
 *
 * A message that fails takes a claim as in `eachMessage`, so that its attempts are counted and it is rejected or parked like any other.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 * import { bodyField } from 'pawl/sqs';
 *
 * const store = transactionalStore(dynamoStore({ tableName: process.env.CLAIMS_TABLE }));
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store, schema: Order, key: bodyField('id') },
 *   ({ body }) => [{ Put: { TableName: 'ledger', Item: { id: body.id, cents: body.amountCents } } }],
 * );
 */
export function eachTransaction<Body>(
  options: EachTransactionOptions<Body>,
  writesOf: TransactionHandler<Body>,
): SqsHandler {
  return consumeTransactions(options, {
    handler: writesOf,
    does: 'returns writes',
    expectStore: expectTransactional,
    async carrierOf(message, around) {
      const writes = await around(() => writesFrom(() => writesOf(message)));
      return writes.length === 0 ? undefined : carrierOf(options.store, writes);
    },
    mostMs: requestMs,
  });
}
