import type { SqsHandler } from '../../sqs/each-by.ts';
import type { Message } from '../../sqs/message.ts';
import type { PostgresClient } from '../../stores/postgres/sql.ts';
import type { PostgresStore } from '../../stores/postgres/store.ts';
import { consumeTransactions, type TransactionOptions } from '../transaction-consumer.ts';
import { expectPostgres, statementsCarrier } from './carrier.ts';

/**
 * The options of `eachTransaction`: those of `eachMessage` that a transaction has a use for.
 *
 * @example
 * import { RejectedError } from 'pawl';
 * import { type PostgresClient, postgresStore } from 'pawl/postgres';
 * import { bodyField } from 'pawl/sqs';
 * import { Pool } from 'pg';
 *
 * const options: PostgresTransactionOptions<Order, PostgresClient> = {
 *   operation: 'post-order',
 *   store: postgresStore({ pool: new Pool() }),
 *   schema: Order,
 *   key: bodyField('id'),
 *   onRefused: (refused) => new RejectedError(refused.message),
 * };
 */
export interface PostgresTransactionOptions<Body, Tx> extends TransactionOptions<Body> {
  /** Where the claims are kept: `postgresStore({ pool })`, which commits them with the statements. */
  readonly store: PostgresStore<Tx>;
}

/**
 * From a message to the statements that are its whole effect. It makes no remote call: it may run more than once, and one of its runs is committed.
 *
 * @example
 * import type { PostgresClient } from 'pawl/postgres';
 *
 * const post: PostgresTransactionHandler<Order, PostgresClient> = ({ body }, tx) =>
 *   tx.query('INSERT INTO ledger (payment, cents) VALUES ($1, $2), ($1, -$2)', [body.id, body.amountCents]);
 */
export type PostgresTransactionHandler<Body, Tx> = (message: Message<Body>, tx: Tx) => Promise<unknown> | unknown;

/**
 * A Lambda handler for an SQS queue whose only effect is in PostgreSQL. Claim, effect and completion are one transaction. There is no lease to outlive, and
 * no attempt leaves anything in doubt. What another door left in doubt, before its operation was deployed here, `onInheritedDoubt` decides: it is parked by
 * default.
 *
 * A message that fails takes a claim as in `eachMessage`, so that its attempts are counted and it is rejected or parked like any other.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { postgresStore } from 'pawl/postgres';
 * import { bodyField } from 'pawl/sqs';
 * import { Pool } from 'pg';
 *
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store: postgresStore({ pool: new Pool() }), schema: Order, key: bodyField('id') },
 *   ({ body }, tx) => tx.query('INSERT INTO ledger (payment, cents) VALUES ($1, $2)', [body.id, body.amountCents]),
 * );
 */
export function eachTransaction<Body, Tx = PostgresClient>(
  options: PostgresTransactionOptions<Body, Tx>,
  work: PostgresTransactionHandler<Body, Tx>,
): SqsHandler {
  return consumeTransactions(options, {
    handler: work,
    does: 'makes statements in the transaction that it gets',
    expectStore: expectPostgres,
    carrierOf: async (message, around, remainingMs) =>
      statementsCarrier<Tx>(options.store, (tx) => around(() => work(message, tx)), remainingMs),
    mostMs: Infinity,
  });
}
