import { expectRun, isGeneratorFunction, isPromise, notAFunction } from '../kernel/callable.ts';
import { explainedError, InDoubtError, LeaseError, RetryableError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions, ofObserve } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Checkpoint } from '../rules/checkpoints.ts';
import { type Said, verdictIn } from '../rules/verdict.ts';
import { warnOfChanged } from './changed-result.ts';
import type { Claim } from './claim.ts';
import { effectOf, emit } from './engine.ts';
import { insideStep } from './inside-step.ts';
import { followStep, type NextStep, nextStep } from './next-step.ts';
import { type Decides, type Policy, policyOf } from './policy.ts';
import { expectFinished } from './returned.ts';
import { doubtAbout } from './settle-doubt.ts';

/** What a step knows. */
export interface StepRun {
  /** Hand this to the provider as ITS idempotency key: the same at every attempt of this step, another one for each step. */
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

/**
 * The options of `step`.
 *
 * @example
 * const receipt = await step(claim, 'receipt', () => mailer.send(order), { onAbandoned: 'park' });
 */
export interface StepOptions {
  /**
   * What becomes of the step when a worker died in it, or it threw something that does not say. There is no default.
   *
   * - `'retry'`: run it again. Right when the provider honours the effect key. One write for each step instead of two.
   * - `'park'`: never twice. The claim waits for an operator's decision.
   * - `reconcile({ ask, settleMs })`: ask the provider, and believe "not applied" `settleMs` milliseconds after the attempt ended. The step returns the
   *   `result` of a verdict `applied`: without one, `undefined`, as after an operator's word.
   */
  readonly onAbandoned: Policy<undefined>;
}

type StepPolicy = Decides<undefined>;

const known = { onAbandoned: true } as const satisfies NamesOf<StepOptions>;

/**
 * Runs one part of a handler, and keeps what it returned beside the claim: after a crash the step does not run again, and returns
 * the same. Steps are known by their order and their name, and must be called in the same order each time. One that is found
 * under another name than it was recorded by parks the claim.
 *
 * Use it under `onAbandoned: 'retry'`, which lets the handler run again; what is in doubt is decided step by step.
 *
 * @param claim as the handler was given it
 * @param name up to 64 characters of ASCII, without spaces; once in a handler
 * @param fn its result is kept as JSON, up to `maxResultBytes`; all checkpoints together up to 200,000 bytes, and 100 steps
 * @throws Error when it is called inside another step of the claim. Steps may run beside each other, and inside `claim.effect`
 * @throws LeaseError when the time is over, or another worker has the claim: the step did not start, or is not known to have ended
 * @throws InDoubtError when it is not known whether the step happened: the claim is parked, also if the handler catches it, or has had its marked effect
 * @example
 * const charge = await step(claim, 'charge', ({ effectKey }) => bank.charge(order, { idempotencyKey: effectKey }), {
 *   onAbandoned: 'retry',
 * });
 * await step(claim, 'receipt', () => mailer.send(order), { onAbandoned: 'park' });
 */
export function step<R>(
  claim: Claim,
  name: string,
  fn: (step: StepRun) => Promise<R> | R,
  options: StepOptions,
): Promise<R> {
  expectOptions(options, { door: 'step', known, refused: ofObserve, docs: 'docs/guides/transactions.md' });
  const policy = policyOf(`onAbandoned of step ${name}`, options.onAbandoned);
  const next = nextStep(claim, name);
  if (typeof fn !== 'function' || isGeneratorFunction(fn)) throw notCallable(next, fn, policy);
  return followStep(next, runStep(next, fn, policy));
}

/**
 * A promise has begun before the step was looked at, and begins again whenever the handler runs: unless the step may be repeated, the handler must not run
 * again. Of anything else nothing has begun.
 */
function notCallable(next: NextStep, fn: unknown, policy: StepPolicy): Error {
  const error = notAFunction(`step ${next.name}`, fn);
  if (!isPromise(fn)) next.work.leaveUnstarted(error);
  else {
    // A sandbox is not frozen with it, and its error ends no process.
    next.work.follow(Promise.resolve(fn));
    if (policy.onAbandoned !== 'retry') {
      return leftInDoubt(next, explainedError(InDoubtError, error.message, 'effect-no-function'));
    }
  }
  return error;
}

async function runStep<R>(next: NextStep, fn: (step: StepRun) => Promise<R> | R, policy: StepPolicy): Promise<R> {
  const { before } = next;
  if (before?.state === 'done') return resultOf(before) as R;
  const stepRun: StepRun = { effectKey: next.effectKey, signal: next.claim.signal };
  if (before?.state === 'started') {
    // In doubt until its own checkpoint says otherwise: an operator's decision is written there.
    const settled = await settleStep(next, before, policy);
    if (settled.kind === 'applied') return settled.result as R;
  }
  try {
    await startStep(next, policy);
  } catch (error) {
    next.work.leaveUnstarted(error);
    throw error;
  }
  let value: R;
  try {
    const called = insideStep(next.work, next.name, () => fn(stepRun));
    value = expectRun(await called, `step ${next.name}: its function`);
    const promises = expectFinished(next.engine.settings.operation, called, value, true);
    if (promises.length > 0) await Promise.all(promises);
  } catch (error) {
    throw await failStep(next, error, policy);
  }
  await expectReached(next, 'done', value);
  warnOfChanged(next.engine.settings.operation, `step ${next.name}`, value);
  return value;
}

/** What became of the doubt about an earlier attempt of a step. */
type SettledStep = { readonly kind: 'applied'; readonly result: unknown } | { readonly kind: 'run' };

/** Settles the doubt about an earlier attempt of a step. @throws what says that it stays in doubt */
async function settleStep(
  next: NextStep,
  before: Checkpoint,
  { onAbandoned, provider }: StepPolicy,
): Promise<SettledStep> {
  const { engine, grant, name } = next;
  const { host, skewMs } = engine.settings;
  if (onAbandoned === 'retry') return { kind: 'run' };
  if (provider === undefined) {
    await next.keepForgotten();
    throw leftInDoubt(
      next,
      explainedError(InDoubtError, `step ${name} was started, and did not say how it ended`, 'step-in-doubt'),
    );
  }
  // What the provider has seen is no newer than the question, however late its verdict comes.
  const askedAt = host.now();
  const inDoubtSince = Math.max(grant.record.unknownAt ?? 0, before.at);
  const verdict = await verdictOf(provider, next, inDoubtSince);
  if (verdict.verdict === 'applied') {
    await expectReached(next, 'done', verdict.result);
    return { kind: 'applied', result: verdict.result };
  }
  if (verdict.verdict === 'not-applied' && askedAt >= inDoubtSince + provider.settleMs + skewMs) return { kind: 'run' };
  // Nothing was applied in this run: the doubt that is on the claim stays as old as it is.
  await next.keepForgotten();
  throw leftInDoubt(
    next,
    explainedError(
      RetryableError,
      `step ${name} may have been applied, and ${verdict.mistake ?? 'its provider cannot say yet'}`,
      'step-in-doubt',
    ),
  );
}

/** @throws LeaseError, or the store's error: then the step has not started */
async function startStep(next: NextStep, { onAbandoned }: StepPolicy): Promise<void> {
  next.expectStartable();
  // Under 'retry' it may run again in any case, and need not say that it began.
  if (onAbandoned === 'retry') return;
  await expectReached(next, 'started');
  // The write took its time, and its answer may have come after the lease.
  if (next.isStartable()) return;
  await expectReached(next, 'open');
  // Even if a heartbeat has renewed the lease meanwhile: its record says that it has applied nothing, and it must not begin under that.
  throw next.notStarted();
}

/** Records that a step threw. @returns the error to throw in place of what it threw */
async function failStep(next: NextStep, error: unknown, { onAbandoned }: StepPolicy): Promise<unknown> {
  const { engine, grant, name } = next;
  const described = recordedError(error);
  emit(engine, grant.identity, { type: 'step-failed', step: name, error: described });
  if (onAbandoned === 'retry') return error;
  const known = effectOf(engine.settings, error);
  const appliedNothing = known === 'retryable' || known === 'rejected';
  const keepsItsError = onAbandoned !== 'park' || appliedNothing;
  const thrown = keepsItsError
    ? error
    : explainedError(InDoubtError, `step ${name}: ${described.message}`, 'step-in-doubt', { cause: error });
  try {
    // The doubt is as old as the end of the attempt.
    await expectReached(next, appliedNothing ? 'open' : 'started');
    if (!appliedNothing) leftInDoubt(next, thrown);
  } catch {
    // Its record says `started` since before it ran, and that is a doubt.
    leftInDoubt(next, thrown);
  }
  return thrown;
}

function leftInDoubt<E>({ work }: NextStep, error: E): E {
  work.leaveInDoubt(error);
  return error;
}

/** Writes down how far a step came. @throws LeaseError when the claim is another worker's; the store's error */
async function expectReached(next: NextStep, state: Checkpoint['state'], value?: unknown): Promise<void> {
  const reached = await next.reach(state, value);
  if (reached === 'applied') return;
  throw new LeaseError(`another worker has the claim: step ${next.name} is not ${state} in its record`);
}

function resultOf({ name, result, omitted }: Checkpoint): unknown {
  if (omitted !== undefined) {
    throw explainedError(
      InDoubtError,
      `step ${name} is done, and its result was not kept: it was ${omitted}`,
      'step-result',
    );
  }
  return result === undefined ? undefined : JSON.parse(result);
}

/** What a provider said of a step. */
async function verdictOf(
  { ask }: NonNullable<StepPolicy['provider']>,
  { claim, grant, name: step, effectKey }: NextStep,
  inDoubtSince: number,
): Promise<Said> {
  try {
    return verdictIn(await ask(doubtAbout(claim, grant.record, { step, effectKey, inDoubtSince }), undefined));
  } catch {
    // It could not be asked.
    return { verdict: 'inconclusive' };
  }
}
