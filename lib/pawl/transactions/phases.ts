import type { Claim } from '../engine/claim.ts';
import { internalsOf } from '../engine/claim-internals.ts';
import { emit } from '../engine/engine.ts';
import { followStep, nextStep } from '../engine/next-step.ts';
import { type StepOptions, type StepRun, step } from '../engine/step.ts';
import { expectFunction } from '../kernel/check.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofObserve } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { ClaimStore } from '../rules/store.ts';
import type { WriteCarrier } from './carrier.ts';
import { leftForgotten } from './commit-claim.ts';
import { type CommitRefusedError, isCommitRefused } from './refused.ts';

/*
 * A handler in three phases, and a step that is committed, over any database.
 *
 * Owns: the order of the phases, and what becomes of each in another attempt. Does not own: what a phase commits, which is its database's (`in-phases.ts`,
 * `postgres/`).
 */

/** What the phases of every database have in common. */
export interface PhasesOverAny<Input, R> {
  /** The remote call. What it returns is kept as JSON; after a crash it is not called again, but its result is used. */
  readonly execute: (input: Input, step: StepRun, claim: Claim) => Promise<R> | R;
  /** What becomes of a remote call that may have happened. See `StepOptions`. */
  readonly onAbandoned: StepOptions['onAbandoned'];
  /**
   * Returns the error to fail with when a condition in `prepare` or `record` fails, e.g. a `RejectedError`.
   * @default the CommitRefusedError itself, which has the message come again
   */
  readonly onRefused?: (refused: CommitRefusedError, phase: 'prepare' | 'record') => unknown;
}

interface AllPhases<Input, R> extends PhasesOverAny<Input, R> {
  readonly prepare?: unknown;
  readonly record: unknown;
}

/** How the two phases in the database are committed. */
interface Commits<Input, R> {
  expectStore(store: ClaimStore): void;
  readonly prepare: ((claim: Claim, input: Input) => Promise<void>) | undefined;
  record(claim: Claim, input: Input, result: R): Promise<void>;
}

const known = {
  prepare: true,
  execute: true,
  record: true,
  onAbandoned: true,
  onRefused: true,
} as const satisfies NamesOf<AllPhases<unknown, unknown>>;

/** A handler in three phases. @throws OptionError when a phase is no function */
export function phasesOver<Input, R>(phases: AllPhases<Input, R>, commits: Commits<Input, R>) {
  expectOptions(phases, { door: 'inPhases', known, refused: ofObserve, docs: 'docs/guides/transactions.md' });
  // Found out after the remote call, a phase that is missing would leave its effect without its record.
  const { prepare: before, execute, record: after, onAbandoned, onRefused } = phases;
  for (const [name, phase] of Object.entries({ prepare: before, execute, record: after, onRefused })) {
    const mayBeMissing = name === 'prepare' || name === 'onRefused';
    if (phase !== undefined || !mayBeMissing) expectFunction(`inPhases.${name}`, 'a function', phase, 'wrong-handler');
  }
  return async function inThreePhases(input: Input, claim: Claim): Promise<R> {
    commits.expectStore(internalsOf(claim, 'inPhases').engine.settings.store);
    const { prepare } = commits;
    // Without one, the call begins at once: a handler that does not wait for its phases is seen to have begun it.
    if (prepare) await refusable('prepare', onRefused, () => prepare(claim, input));
    const result = await step(claim, 'execute', (run) => execute(input, run, claim), { onAbandoned });
    await refusable('record', onRefused, () => commits.record(claim, input, result));
    return result;
  };
}

/** @throws what the author makes of a refusal; any other error as it is */
async function refusable(
  phase: 'prepare' | 'record',
  onRefused: PhasesOverAny<never, never>['onRefused'],
  committing: () => Promise<void>,
): Promise<void> {
  try {
    await committing();
  } catch (error) {
    throw isCommitRefused(error) && onRefused !== undefined ? onRefused(error, phase) : error;
  }
}

type NextStep = ReturnType<typeof nextStep>;

/** The next step of a handler, which is committed. @param carrierOf returns nothing where there is nothing to commit */
export function commitNextStep(
  claim: Claim,
  name: string,
  expectStore: (store: ClaimStore) => void,
  carrierOf: (next: NextStep) => Promise<WriteCarrier | undefined>,
): Promise<void> {
  const next = nextStep(claim, name);
  expectStore(next.engine.settings.store);
  return followStep(
    next,
    reported(next, name, () => commitNext(next, carrierOf)),
  );
}

async function commitNext(
  next: NextStep,
  carrierOf: (next: NextStep) => Promise<WriteCarrier | undefined>,
): Promise<void> {
  if (next.before?.state === 'done') return;
  if (next.before?.state === 'started') {
    // Only a restored table leaves such a doubt: the checkpoint is committed with the writes.
    await next.keepForgotten();
    throw leftForgotten(next);
  }
  const carrier = await carrierOf(next);
  if (carrier === undefined) return;
  try {
    next.expectStartable();
  } catch (error) {
    next.work.leaveUnstarted(error);
    throw error;
  }
  const until = next.engine.settings.host.now() + next.claim.remainingMs();
  await carrier.apply(() => next.reach('done', undefined, carrier.write));
  await carrier.follow(until);
}

/** Reports that a step failed. */
async function reported({ engine, grant }: NextStep, name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    emit(engine, grant.identity, { type: 'step-failed', step: name, error: recordedError(error) });
    throw error;
  }
}
