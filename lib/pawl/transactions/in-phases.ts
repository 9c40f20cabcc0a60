import type { Claim } from '../engine/claim.ts';
import { insideStep } from '../engine/inside-step.ts';
import { expectFunction } from '../kernel/check.ts';
import { commit } from './commit.ts';
import type { CommitWrite } from './deferred-write.ts';
import { commitNextStep, type PhasesOverAny, phasesOver } from './phases.ts';
import { carrierOf, expectTransactional, writesFrom } from './write-carrier.ts';

/** Writes, or nothing to write. */
export type Writes = readonly CommitWrite[];

/**
 * The phases of `inPhases`, and what becomes of a remote call that may have happened.
 *
 * @example
 * const phases: Phases<Payment, { readonly id: string }> = {
 *   prepare: (payment) => [{ Put: { TableName: 'payouts', Item: { id: payment.id, status: 'pending' } } }],
 *   execute: (payment, { effectKey }) => bank.refund(payment, { idempotencyKey: effectKey }),
 *   record: (payment, { id }) => [{ Put: { TableName: 'payouts', Item: { id: payment.id, status: 'paid', refund: id } } }],
 *   onAbandoned: 'retry',
 * };
 */
export interface Phases<Input, R> extends PhasesOverAny<Input, R> {
  /** What is to stand in the database before the remote call: an order that is pending, an amount that is reserved. May read; must not call out. */
  readonly prepare?: (input: Input) => Promise<Writes> | Writes;
  /** What follows from its result in the database. Committed with the completion of the claim. At least one write. */
  readonly record: (input: Input, result: R) => Promise<Writes> | Writes;
}

/**
 * A handler in three phases: writes committed with the claim, a remote call, writes committed with the completion. It can be
 * killed anywhere; the next attempt goes on where it stood. The consumer's store is a `transactionalStore`, and its own
 * `onAbandoned` is `'retry'`: what may have been called is decided here.
 *
 * @throws LeaseError, InDoubtError, CommitRefusedError (or what `onRefused` made of it): each says what becomes of the claim
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * export const handler = eachMessage(
 *   { operation: 'charge-order', store, schema: Order, key: bodyField('id'), onAbandoned: 'retry' },
 *   inPhases({
 *     execute: ({ body }, { effectKey }) => bank.charge(body, { idempotencyKey: effectKey }),
 *     record: ({ body }, charge) => [{ Put: { TableName: 'orders', Item: { id: body.id, charge: charge.id } } }],
 *     onAbandoned: 'retry',
 *   }),
 * );
 */
export function inPhases<Input, R>(phases: Phases<Input, R>) {
  const { prepare, record } = phases ?? {};
  return phasesOver(phases, {
    expectStore: expectTransactional,
    prepare: prepare && ((claim, input) => commitStep(claim, 'prepare', () => prepare(input))),
    record: async (claim, input, result) => commit(claim, await writesFrom(() => record(input, result)), { result }),
  });
}

/**
 * A step that is writes of the application's: they and its checkpoint are committed in one transaction. No writes, no
 * transaction: it is decided anew at each attempt.
 *
 * @throws as `commit`
 * @example
 * await commitStep(claim, 'reserve', () => [
 *   { Put: { TableName: 'reservations', Item: { id: order.id, cents: order.amountCents } } },
 * ]);
 */
export function commitStep(claim: Claim, name: string, writesOf: () => Promise<Writes> | Writes): Promise<void> {
  expectFunction(`the function of commitStep ${name}`, 'a function that returns writes', writesOf, 'wrong-handler');
  return commitNextStep(claim, name, expectTransactional, async (next) => {
    const writes = await insideStep(next.work, name, () => writesFrom(writesOf));
    return writes.length === 0 ? undefined : carrierOf(next.engine.settings.store, writes);
  });
}
