import type { SqsHandler } from '../sqs/each-by.ts';
import { consumersQueues } from '../sqs/sdk-transport.ts';
import { type EachTransactionOptions, eachTransactionOver, type TransactionHandler } from './write-consumer.ts';

/**
 * A Lambda handler for an SQS queue whose only effect is writes to DynamoDB. Claim, effect and completion are one transaction:
 * one request for a message that is new. There is no lease to outlive, and no attempt leaves anything in doubt.
 * What another door left in doubt, before its operation was deployed here, `onInheritedDoubt` decides: it is parked by default.
 *
 * A message that fails takes a claim as in `eachMessage`, so that its attempts are counted and it is rejected or parked like any other.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { bodyField } from 'pawl/sqs';
 *
 * const store = transactionalStore({ tableName: process.env.CLAIMS_TABLE });
 * export const handler = eachTransaction(
 *   { operation: 'post-order', store, schema: Order, key: bodyField('id') },
 *   ({ body }) => [{ Put: { TableName: 'ledger', Item: { id: body.id, cents: body.amountCents } } }],
 * );
 */
export function eachTransaction<Body>(
  options: EachTransactionOptions<Body>,
  writesOf: TransactionHandler<Body>,
): SqsHandler {
  return eachTransactionOver(consumersQueues, options, writesOf);
}
