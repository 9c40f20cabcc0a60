import type { Claim } from '../../engine/claim.ts';
import { insideStep } from '../../engine/inside-step.ts';
import { expectFunction } from '../../kernel/check.ts';
import type { PostgresClient } from '../../stores/postgres/sql.ts';
import { type CommitOptions, commitClaim } from '../commit-claim.ts';
import { commitNextStep, type PhasesOverAny, phasesOver } from '../phases.ts';
import { expectPostgres, type Statements, statementsCarrier } from './carrier.ts';

/**
 * Runs statements of the application's and completes the claim, in one transaction: either all of it happened, or nothing. It is the effect of its handler,
 * as `claim.effect` is, and there is one.
 *
 * The function may run more than once, and only one of its runs is committed. It makes no remote call.
 *
 * @param claim as the handler was given it. Its consumer's store is a `postgresStore`
 * @param work gets the transaction: a connection of the pool, or what the option `tx` of the store makes of it
 * @throws what `work` throws, if it is a `RejectedError`, a `RetryableError` or an `InDoubtError`; CommitRefusedError with any other error as its cause;
 *   LeaseError when the time is over or the claim is another worker's; RetryableError when PostgreSQL could not be reached. After each of them, nothing of
 *   this was applied, or the claim turns out to be complete when the message comes again
 * @example
 * await commit(claim, async (tx) => {
 *   await tx.query('INSERT INTO ledger (payment, cents) VALUES ($1, $2)', [payment.id, payment.amountCents]);
 * });
 */
export function commit<Tx = PostgresClient>(
  claim: Claim,
  work: Statements<Tx>,
  options: CommitOptions = {},
): Promise<void> {
  expectFunction('the function of commit', 'a function that gets the transaction', work, 'wrong-handler');
  return commitClaim(
    claim,
    ({ engine }) => statementsCarrier(engine.settings.store, work, () => claim.remainingMs()),
    options,
  );
}

/**
 * A step that is statements of the application's: they and its checkpoint are committed in one transaction.
 *
 * @throws as `commit`
 * @example
 * await commitStep(claim, 'reserve', (tx) =>
 *   tx.query('INSERT INTO reservations (id, cents) VALUES ($1, $2)', [order.id, order.amountCents]),
 * );
 */
export function commitStep<Tx = PostgresClient>(claim: Claim, name: string, work: Statements<Tx>): Promise<void> {
  const expected = 'a function that gets the transaction';
  expectFunction(`the function of commitStep ${name}`, expected, work, 'wrong-handler');
  return commitNextStep(claim, name, expectPostgres, async (next) =>
    statementsCarrier<Tx>(
      next.engine.settings.store,
      (tx) => insideStep(next.work, name, () => work(tx)),
      () => claim.remainingMs(),
    ),
  );
}

/**
 * The phases of `inPhases`, and what becomes of a remote call that may have happened.
 *
 * @example
 * const phases: PostgresPhases<Payment, { readonly id: string }> = {
 *   prepare: ({ id }, tx) => tx.query(`INSERT INTO payouts (id, status) VALUES ($1, 'pending')`, [id]),
 *   execute: (payment, { effectKey }) => bank.refund(payment, { idempotencyKey: effectKey }),
 *   record: ({ id }, refund, tx) => tx.query(`UPDATE payouts SET status = 'paid', refund = $2 WHERE id = $1`, [id, refund.id]),
 *   onAbandoned: 'retry',
 * };
 */
export interface PostgresPhases<Input, R, Tx = PostgresClient> extends PhasesOverAny<Input, R> {
  /** What is to stand in the database before the remote call: an order that is pending, an amount that is reserved. Must not call out. */
  readonly prepare?: (input: Input, tx: Tx) => Promise<unknown> | unknown;
  /** What follows from its result in the database. Committed with the completion of the claim. */
  readonly record: (input: Input, result: R, tx: Tx) => Promise<unknown> | unknown;
}

/**
 * A handler in three phases: statements committed with the claim, a remote call, statements committed with the completion. It can be killed anywhere; the next
 * attempt goes on where it stood. The consumer's store is a `postgresStore`, and its own `onAbandoned` is `'retry'`: what may have been called is decided here.
 *
 * No network in `prepare` and `record`: other workers wait for their rows. No database in `execute`: it is given no transaction.
 *
 * @throws LeaseError, InDoubtError, CommitRefusedError (or what `onRefused` made of it): each says what becomes of the claim
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * export const handler = eachMessage(
 *   { operation: 'charge-order', store, schema: Order, key: bodyField('id'), onAbandoned: 'retry' },
 *   inPhases({
 *     execute: ({ body }, { effectKey }) => bank.charge(body, { idempotencyKey: effectKey }),
 *     record: ({ body }, charge, tx) => tx.query('INSERT INTO charges (id, charge) VALUES ($1, $2)', [body.id, charge.id]),
 *     onAbandoned: 'retry',
 *   }),
 * );
 */
export function inPhases<Input, R, Tx = PostgresClient>(phases: PostgresPhases<Input, R, Tx>) {
  const { prepare, record } = phases ?? {};
  return phasesOver(phases, {
    expectStore: expectPostgres,
    prepare: prepare && ((claim, input) => commitStep<Tx>(claim, 'prepare', (tx) => prepare(input, tx))),
    record: (claim, input, result) => commit<Tx>(claim, (tx) => record(input, result, tx), { result }),
  });
}
