import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import { emit } from '../engine/engine.ts';
import { insideStep } from '../engine/inside-step.ts';
import { nextStep } from '../engine/next-step.ts';
import { type StepOptions, type StepRun, step } from '../engine/step.ts';
import { expectFunction } from '../kernel/check.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofObserve } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { commit, leftForgotten } from './commit.ts';
import type { CommitWrite } from './deferred-write.ts';
import { type CommitRefusedError, isCommitRefused } from './refused.ts';
import { expectTransactional, expectWrites, WriteCarrier } from './write-carrier.ts';

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
export interface Phases<Input, R> {
  /** What is to stand in the database before the remote call: an order that is pending, an amount that is reserved. May read; must not call out. */
  readonly prepare?: (input: Input) => Promise<Writes> | Writes;
  /** The remote call. What it returns is kept as JSON; after a crash it is not called again, but its result is used. */
  readonly execute: (input: Input, step: StepRun, claim: Claim) => Promise<R> | R;
  /** What follows from its result in the database. Committed with the completion of the claim. At least one write. */
  readonly record: (input: Input, result: R) => Promise<Writes> | Writes;
  /** What becomes of a remote call that may have happened. See `StepOptions`. */
  readonly onAbandoned: StepOptions['onAbandoned'];
  /**
   * Returns the error to fail with when a condition in `prepare` or `record` fails, e.g. a `RejectedError`.
   * @default the CommitRefusedError itself, which has the message come again
   */
  readonly onRefused?: (refused: CommitRefusedError, phase: 'prepare' | 'record') => unknown;
}

const known = {
  prepare: true,
  execute: true,
  record: true,
  onAbandoned: true,
  onRefused: true,
} as const satisfies NamesOf<Phases<unknown, unknown>>;

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
  expectOptions(phases, { door: 'inPhases', known, refused: ofObserve, docs: 'docs/guides/transactions.md' });
  // Found out after the remote call, a phase that is missing would leave its effect without its record.
  const { prepare, execute, record, onRefused } = phases;
  for (const [name, phase] of Object.entries({ prepare, execute, record, onRefused })) {
    const mayBeMissing = name === 'prepare' || name === 'onRefused';
    if (phase !== undefined || !mayBeMissing) expectFunction(`inPhases.${name}`, 'a function', phase, 'wrong-handler');
  }
  return function inThreePhases(input: Input, claim: Claim): Promise<R> {
    return runPhases(phases, input, claim);
  };
}

async function runPhases<Input, R>(phases: Phases<Input, R>, input: Input, claim: Claim): Promise<R> {
  const { prepare, execute, record, onAbandoned, onRefused } = phases;
  expectTransactional(internalsOf(claim, 'inPhases').engine.settings.store);
  if (prepare) await refusable('prepare', onRefused, () => commitStep(claim, 'prepare', () => prepare(input)));
  const result = await step(claim, 'execute', (run) => execute(input, run, claim), { onAbandoned });
  const writes = expectWrites(await record(input, result));
  await refusable('record', onRefused, () => commit(claim, writes, { result }));
  return result;
}

/** @throws what the author makes of a refusal; any other error as it is */
async function refusable(
  phase: 'prepare' | 'record',
  onRefused: Phases<never, never>['onRefused'],
  committing: () => Promise<void>,
): Promise<void> {
  try {
    await committing();
  } catch (error) {
    throw isCommitRefused(error) && onRefused !== undefined ? onRefused(error, phase) : error;
  }
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
  const next = nextStep(claim, name);
  expectTransactional(next.engine.settings.store);
  return next.work.follow(reported(next, name, () => commitNext(next, writesOf)));
}

type NextStep = ReturnType<typeof nextStep>;

async function commitNext(next: NextStep, writesOf: () => Promise<Writes> | Writes): Promise<void> {
  if (next.before?.state === 'done') return;
  if (next.before?.state === 'started') {
    // Only a restored table leaves such a doubt: the checkpoint is committed with the writes.
    await next.keepForgotten();
    throw leftForgotten(next);
  }
  const writes = expectWrites(await insideStep(next.work, next.name, writesOf));
  if (writes.length === 0) return;
  try {
    next.expectStartable();
  } catch (error) {
    next.work.leaveUnstarted(error);
    throw error;
  }
  const carrier = new WriteCarrier(next.engine.settings.store, writes);
  const until = next.engine.settings.host.now() + next.claim.remainingMs();
  await carrier.apply(() => next.reach('done', undefined, carrier.write));
  await carrier.follow(until);
}

/** Reports that a step failed. If its handler does not wait for it, the step is missing from a claim that completes, and nothing else says so. */
async function reported({ engine, grant }: NextStep, name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    emit(engine, grant.identity, { type: 'step-failed', step: name, error: recordedError(error) });
    throw error;
  }
}
