import { expectRun, isGeneratorFunction, isPromise, notAFunction } from '../kernel/callable.ts';
import { effectKind } from '../kernel/error-kind.ts';
import { explainedError, InDoubtError, LeaseError, NotStartedError } from '../kernel/errors.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { letFail } from '../kernel/unknown.ts';
import { warnOnce } from '../kernel/warn-once.ts';
import { stepsInDoubt } from '../rules/checkpoints.ts';
import type { ClaimRules } from '../rules/decide.ts';
import { type Grant, startsUntil } from '../rules/grant.ts';
import type { KnownOfEffect, Phase } from '../rules/settle.ts';
import type { Claim } from './claim.ts';
import { type Engine, effectOf, emit } from './engine.ts';
import { insideHandler } from './inside-step.ts';
import { openClaim } from './open-claim.ts';
import type { Settings } from './options.ts';
import { fail, giveBackUnstarted, isLeftInFlight, succeed } from './record-outcome.ts';
import { expectFinished } from './returned.ts';
import type { RunResult } from './run-result.ts';
import { settleDoubt } from './settle-doubt.ts';
import { type Rested, type Thrown, Work } from './work.ts';

/**
 * Runs a handler under a claim and records how it ended. If an earlier attempt is in doubt, the provider is asked first.
 * Never throws: what the handler threw is in the result.
 *
 * @param hasEnded called when nothing of the handler runs any more, before its outcome is recorded
 */
export async function run<Input, R>(
  engine: Engine<Input>,
  grant: Grant,
  handler: (input: Input, claim: Claim) => Promise<R> | R,
  input: Input,
  hasEnded?: () => void,
): Promise<RunResult<R>> {
  const { settings } = engine;
  const { host, timeoutMs, marginMs, unsettledMs, marksEffect } = settings;
  const settling = settleDoubt<Input, R>(engine, grant, input);
  const settled = settling && (await settling);
  if (settled !== undefined) return settled;
  // A sandbox may have been frozen between the claim and this line: the lease is looked at once more before an effect.
  const late = tooLate(settings, startsUntil(grant));
  if (late) {
    emit(engine, grant.identity, { type: 'not-started', remainingMs: late.remainingMs });
    return { kind: 'not-started', error: late.error, recorded: await giveBackUnstarted(engine, grant, late.error) };
  }

  const work = new Work();
  const latest = timeoutMs === 0 ? Infinity : host.now() + timeoutMs;
  const { claim, stop } = openClaim(engine, grant, latest, work);
  const marked = markedEffect(settings.operation, claim, work);
  let end: End<R>;
  try {
    const given = Object.assign(claim, { effect: marked.effect });
    const handling = { work, id: grant.identity.id, store: settings.store };
    const called = insideHandler(handling, () => handler(input, given));
    const value = await called;
    const hasEffect = marked.state().kind !== 'none' || work.isUnderWay;
    work.followAll(expectFinished(settings.operation, called, expectRun(value, 'the handler'), hasEffect));
    end = { kind: 'returned', value };
  } catch (error) {
    end = { kind: 'threw', error };
  }
  work.end(end.kind);
  if (end.kind === 'returned') warnOfUnawaited(settings.operation, work);
  // What the handler started and did not wait for would go on in a frozen sandbox, after its lease.
  // Until the worker ends, if that is known: a lease that lapses because its renewals fail takes nothing away from a late proof.
  const workerEnd = () => grant.keptUntil ?? grant.deadline ?? grant.record.leaseUntil;
  const resting = work.rest(host, () => workerEnd() - marginMs - host.now());
  const rested = resting instanceof Promise ? await resting : resting;
  hasEnded?.();
  const state = marked.state();
  const knownOf = ({ error }: Thrown) => effectOf(settings, error);
  const failure = failureOf(state, end, rested, knownOf);
  const wouldEnd = failure === undefined || state.kind === 'applied' || knownOf(failure) === 'rejected';
  const doubt = wouldEnd ? doubtLeft(grant, state, rested, settings) : undefined;
  if (doubt === undefined && failure === undefined && end.kind === 'returned') {
    if (marksEffect && state.kind === 'none') warnOfUnmarked(settings.operation);
    stop();
    return { kind: 'returned', value: end.value, recorded: await succeed(engine, grant, end.value) };
  }
  const error = doubt ?? failure?.error;
  const phase = doubt ? 'during' : phaseOf(state, marksEffect && work.unmarked === 0);
  stop(isLeftInFlight(engine, error, phase));
  const recorded = await fail(engine, grant, error, phase);
  // The provider is asked at the next delivery: earlier than this, its "not applied" would not be believed.
  const applied = state.kind === 'applied' && recorded !== 'parked';
  return { kind: 'threw', error, applied, recorded, retryAfterMs: unsettledMs };
}

/** What the handler throws before `claim.effect` counts as "nothing was applied": an effect beside it would be repeated. */
function warnOfUnmarked(operation: string): void {
  const said = `marksEffect: a handler of '${operation}' returned without calling claim.effect()`;
  const advice =
    'Put the effect inside claim.effect(() => …), or remove marksEffect: an error of such a handler is taken for one that applied nothing';
  warnOnce('effect-not-marked', operation, `${said}. ${advice}`);
}

/** What is under way is waited for, but its error reaches no code of the author's. */
export function warnOfUnawaited(operation: string, { unasked, isUnderWay }: Work): void {
  const say = (what: string, subject = '') =>
    warnOnce(
      'not-awaited',
      `${operation}${subject}`,
      `a handler of '${operation}' returned ${what}. Write await before the call, or return its promise: its error counts as one of the handler`,
    );
  for (const called of new Set(unasked)) say(`and had not awaited its ${called}`, ` ${called}`);
  if (unasked.length === 0 && isUnderWay) say('while its effect, a step or a call of once was under way');
}

/** How far a handler came with the effect that it marks. */
type EffectState =
  | { readonly kind: 'none' | 'under-way' | 'applied' }
  | { readonly kind: 'failed'; readonly error: unknown };

type End<R> = { readonly kind: 'returned'; readonly value: R } | { readonly kind: 'threw'; readonly error: unknown };

/** `claim.effect`, and how far it came. */
function markedEffect(operation: string, claim: Pick<Claim, 'remainingMs'>, work: Work) {
  let state: EffectState = { kind: 'none' };

  function effect<T>(start: () => Promise<T> | T): Promise<T> {
    work.refuseInStep?.('claim.effect');
    // A branch of the handler that outlived it may not start what has been recorded as not started.
    if (work.stopped)
      return rejectRefused(
        explainedError(Error, 'claim.effect: its handler has ended; await every effect', 'late-effect'),
      );
    if (state.kind !== 'none') {
      throw explainedError(
        Error,
        'claim.effect: there is one effect in a handler; make steps of the others with step()',
        'second-effect',
      );
    }
    if (claim.remainingMs() <= 0) {
      const late = new LeaseError('the effect was not started: the time is over');
      work.leaveUnstarted(late);
      throw late;
    }
    if (typeof start !== 'function' || isGeneratorFunction(start)) return notCallable(start);
    state = { kind: 'under-way' };
    return work.follow(runEffect(start));
  }

  /**
   * A promise is an effect that has begun before anybody looked at its claim, and only how it ends says what is known of it. It begins again with every call of the
   * handler. Of anything else nothing has begun, and the claim cannot complete without its effect.
   */
  function notCallable(start: unknown): Promise<never> {
    const error = notAFunction('claim.effect', start);
    if (!isPromise(start)) {
      work.leaveUnstarted(error);
      throw error;
    }
    state = { kind: 'under-way' };
    return work.follow(
      runEffect(async () => {
        try {
          await start;
        } catch (cause) {
          // What it says of itself counts; an error that says nothing is explained.
          throw effectKind(cause) === undefined ? notAFunction('claim.effect', start, { cause }) : cause;
        }
      }).then(() => {
        throw error;
      }),
    );
  }

  /** As a promise, and handled: such a branch runs in a callback of the author's, where an exception ends the process. */
  function rejectRefused(error: Error): Promise<never> {
    const rejected = Promise.reject(error);
    letFail(rejected);
    return rejected;
  }

  async function runEffect<T>(start: () => Promise<T> | T): Promise<T> {
    try {
      const called = start();
      const value = expectRun(await called, 'claim.effect: its function');
      const promises = expectFinished(operation, called, value, true);
      if (promises.length > 0) await Promise.all(promises);
      state = { kind: 'applied' };
      return value;
    } catch (error) {
      state = { kind: 'failed', error };
      throw error;
    }
  }

  return { effect, state: (): EffectState => state };
}

function phaseOf(state: EffectState, marksEffect: boolean): Phase {
  if (state.kind === 'none') return marksEffect ? 'before' : 'unmarked';
  return state.kind === 'applied' ? 'after' : 'during';
}

/**
 * Which error decides what is known of the effect, if anything failed. If the effect itself threw, its own error decides, whatever the
 * handler made of it or threw beside it: an error of something else says nothing about the effect.
 */
export function failureOf(
  effect: EffectState,
  end: End<unknown>,
  { inDoubt, late }: Rested,
  knownOf: (thrown: Thrown) => KnownOfEffect,
): Thrown | undefined {
  const thrown = end.kind === 'threw' ? [end, ...late] : late;
  // The most careful word counts: what is in doubt must not be retried or rejected because something else failed as well.
  const saysDoubt = [...inDoubt, ...thrown].find((one) => knownOf(one) === 'in-doubt');
  if (saysDoubt !== undefined) return saysDoubt;
  if (effect.kind === 'failed') {
    // Where the effect says that it applied nothing, the handler may say what that means: "insufficient balance" is final.
    const appliedNothing = (one: Thrown) => knownOf(one) === 'retryable' || knownOf(one) === 'rejected';
    return appliedNothing(effect) ? (inDoubt[0] ?? thrown.find(appliedNothing) ?? effect) : effect;
  }
  // The effect has not ended in time: whatever the handler threw says nothing about it.
  if (effect.kind === 'under-way') return late.at(-1);
  // A step whose provider can be asked: were the handler's own final word recorded, it would never be asked.
  return inDoubt[0] ?? thrown[0];
}

/**
 * That a step is in doubt where the claim is about to end: it failed beside a marked effect that was applied, or an earlier attempt
 * left it behind and this one did not call it. To complete the claim would take the step for confirmed, and to reject it for not
 * applied; to release it would repeat the effect. Not where a commit has completed the claim already; nor where the handler calls no steps: their doubt
 * was the claim's own when it was granted, and its policy has decided.
 */
export function doubtLeft(
  { record }: Grant,
  effect: EffectState,
  { inDoubt }: Rested,
  { stepless = false }: Pick<ClaimRules, 'stepless'> = {},
): InDoubtError | undefined {
  if (record.status !== 'in-flight') return undefined;
  const names = stepless ? [] : stepsInDoubt(record).map(({ name }) => name);
  const [first] = inDoubt;
  if (names.length === 0 && first === undefined) return undefined;
  const what = names.length > 0 ? `in doubt: ${names.join(', ')}` : recordedError(first?.error).message;
  const beside =
    effect.kind === 'applied' ? '; the effect beside it was applied, and would run again with the handler' : '';
  const said = `a step of the handler may or may not have been applied: ${what}${beside}`;
  return explainedError(InDoubtError, said, 'step-in-doubt', { cause: first?.error });
}

/** That too little time is left: how much, and the error that says it. */
export interface TooLate {
  readonly remainingMs: number;
  readonly error: LeaseError;
}

/** Whether too little time is left to start an effect and record its outcome. @returns nothing when there is enough */
export function tooLate(
  { marginMs, timeoutMs, host }: Pick<Settings<never>, 'marginMs' | 'timeoutMs'> & { readonly host: { now(): number } },
  leaseUntil: number,
): TooLate | undefined {
  const remainingMs = leaseUntil - marginMs - host.now();
  if (remainingMs > timeoutMs) return undefined;
  return { remainingMs, error: new NotStartedError(`nothing was started: only ${remainingMs} ms are left`) };
}
