import type { Claim } from '../engine/claim.ts';
import { type CommitOptions, commitClaim } from './commit-claim.ts';
import type { CommitWrite } from './deferred-write.ts';
import { carrierOf } from './write-carrier.ts';

/**
 * Applies writes of the application's and completes the claim, in one transaction: either all of it happened, or nothing. It
 * is the effect of its handler, as `claim.effect` is, and there is one.
 *
 * @param claim as the handler was given it. Its consumer's store is a `transactionalStore`
 * @param writes up to 99, as `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` takes them; and messages of an outbox (`pawl/outbox`)
 * @throws CommitRefusedError when a condition among the writes failed; LeaseError when the time is over or the claim is another
 *   worker's; InDoubtError, or what the step threw, when a step of the handler is in doubt; RetryableError when DynamoDB could not be
 *   reached. After each of them, nothing of this was applied, or the claim turns out to be complete when the message comes again
 * @example
 * const Key = { id: payment.customer };
 * const withdraw = {
 *   Update: {
 *     TableName: 'accounts',
 *     Key,
 *     UpdateExpression: 'SET balance = balance - :n',
 *     ConditionExpression: 'balance >= :n',
 *     ExpressionAttributeValues: { ':n': payment.amountCents },
 *   },
 * };
 * await commit(claim, [withdraw, { Put: { TableName: 'ledger', Item: { id: payment.id } } }]);
 */
export function commit(claim: Claim, writes: readonly CommitWrite[], options: CommitOptions = {}): Promise<void> {
  return commitClaim(claim, ({ engine }) => carrierOf(engine.settings.store, writes), options);
}
