import { requestMs } from '../engine/engine.ts';
import type { SqsHandler } from '../sqs/each-by.ts';
import type { Message } from '../sqs/message.ts';
import type { WayToSqs } from '../sqs/transport.ts';
import type { AppWrite, TransactionalStore } from './store.ts';
import { consumeTransactions, type TransactionOptions } from './transaction-consumer.ts';
import { carrierOf, expectTransactional, expectWrites } from './write-carrier.ts';

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
  /** Where the claims are kept: `transactionalStore({ tableName })`, which commits them with the writes. */
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
export type TransactionHandler<Body> = (message: Message<Body>) => Promise<readonly AppWrite[]> | readonly AppWrite[];

/** The handler of `eachTransaction`, over a way to SQS. @throws OptionError when an option is missing or out of range */
export function eachTransactionOver<Body>(
  wayToSqs: WayToSqs,
  options: EachTransactionOptions<Body>,
  writesOf: TransactionHandler<Body>,
): SqsHandler {
  return consumeTransactions(wayToSqs, options, {
    handler: writesOf,
    returns: 'returns writes',
    expectStore: expectTransactional,
    async carrierOf(message, around) {
      const writes = expectWrites(await around(() => writesOf(message)));
      return writes.length === 0 ? undefined : carrierOf(options.store, writes);
    },
    mostMs: requestMs,
  });
}
