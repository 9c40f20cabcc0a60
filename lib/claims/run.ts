import { InDoubtError, LeaseError } from '../kernel/errors.ts';
import type { Identity } from '../kernel/identity.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { stepsInDoubt } from './checkpoints.ts';
import type { Claim } from './claim.ts';
import type { Claims, Phase } from './engine.ts';
import type { Held } from './held.ts';
import { openClaim } from './open-claim.ts';
import type { Ran } from './ran.ts';
import { createWork, type Rested, type Thrown, type Work } from './work.ts';

/**
 * Runs a handler under a claim and records how it ended; where an earlier attempt is in doubt, the provider is asked first.
 * Never throws: what the handler threw is in the answer.
 */
export async function run<Input, R>(
  claims: Claims<Input>,
  held: Held,
  handler: (input: Input, claim: Claim) => Promise<R> | R,
  input: Input,
): Promise<Ran<R>> {
  const { host, timeoutMs, marginMs, provider, unsettledMs, marksEffect } = claims.settings;
  const settled = provider && (await provider.settleDoubt<R>(claims, held, input));
  if (settled !== undefined) return settled;
  // A sandbox may have been frozen between the claim and this line: the lease is looked at once more before an effect.
  const late = tooLate(claims, held.identity, held.record.leaseUntil);
  if (late) return { ran: 'not-started', error: late, recorded: await claims.fail(held, late, 'before') };

  const work = createWork();
  const { claim, stop } = openClaim(claims, held, host.now() + (timeoutMs || Infinity), work);
  const marked = markedEffect(claim, work);
  const end = await endOf(() => handler(input, Object.assign(claim, { effect: marked.effect })));
  work.end(end.kind);
  // What the handler started and did not wait for would go on in a frozen sandbox, after its lease.
  // Until the invocation ends, if that is known: a lease that lapses because its renewals fail takes nothing away from a late proof.
  const rested = await work.rest(host, () => (held.deadline ?? held.record.leaseUntil) - marginMs - host.now());
  stop();
  const state = marked.state();
  const failure = failureOf(state, end, rested, claims.kindOf);
  const wouldEnd = failure === undefined || state.kind === 'applied' || claims.kindOf(failure.error) === 'rejected';
  const doubt = wouldEnd ? doubtLeft(held, state, rested) : undefined;
  if (doubt === undefined && failure === undefined && end.kind === 'returned') {
    const { value } = end;
    return { ran: 'returned', value, applied: true, recorded: await claims.succeed(held, value) };
  }
  const error = doubt ?? failure?.error;
  const recorded = await claims.fail(held, error, doubt ? 'during' : phaseOf(state, marksEffect));
  // The provider is asked at the next delivery: earlier than this, its "not applied" would not be believed.
  const applied = state.kind === 'applied' && recorded !== 'parked';
  return { ran: 'threw', error, applied, recorded, retryAfterMs: unsettledMs };
}

/** How far a handler came with the effect that it marks. */
type EffectState =
  | { readonly kind: 'none' | 'under-way' | 'applied' }
  | { readonly kind: 'failed'; readonly error: unknown };

type End<R> = { readonly kind: 'returned'; readonly value: R } | { readonly kind: 'threw'; readonly error: unknown };

async function endOf<R>(handle: () => Promise<R> | R): Promise<End<R>> {
  try {
    return { kind: 'returned', value: await handle() };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

/** `claim.effect`, and how far it came. */
function markedEffect(claim: Pick<Claim, 'remainingMs'>, work: Work) {
  let state: EffectState = { kind: 'none' };

  function effect<T>(start: () => Promise<T> | T): Promise<T> {
    // A branch of the handler that outlived it may not start what has been recorded as not started.
    if (work.ended || state.kind !== 'none') throw new Error('claim.effect: one effect, while its handler runs');
    if (claim.remainingMs() <= 0) {
      const late = new LeaseError('the effect was not started: the time is over');
      work.leaveUnstarted(late);
      throw late;
    }
    state = { kind: 'under-way' };
    return work.follow(runEffect(start));
  }

  async function runEffect<T>(start: () => Promise<T> | T): Promise<T> {
    try {
      const value = await start();
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
 * Which error decides what is known of the effect, if anything failed. What the effect itself threw, whatever the handler made of
 * it or threw beside it: an error of something else says nothing about the effect.
 */
function failureOf(
  effect: EffectState,
  end: End<unknown>,
  { inDoubt, late }: Rested,
  kindOf: (error: unknown) => unknown,
): Thrown | undefined {
  const thrown = end.kind === 'threw' ? [end, ...late] : late;
  // The most careful word counts: what is in doubt must not be retried or rejected because something else failed as well.
  const saysDoubt = [...inDoubt, ...thrown].find(({ error }) => kindOf(error) === 'in-doubt');
  if (saysDoubt !== undefined) return saysDoubt;
  if (effect.kind === 'failed') {
    // Where the effect says that it applied nothing, the handler may say what that means: "insufficient balance" is final.
    const appliedNothing = ({ error }: Thrown) => kindOf(error) === 'retryable' || kindOf(error) === 'rejected';
    return appliedNothing(effect) ? (inDoubt[0] ?? thrown.find(appliedNothing) ?? effect) : effect;
  }
  // It has not ended in time: whatever the handler threw, nobody knows of the effect.
  if (effect.kind === 'under-way') return late.at(-1);
  // A step whose provider can be asked: were the handler's own final word recorded, it would never be asked.
  return inDoubt[0] ?? thrown[0];
}

/**
 * That a step is in doubt where the claim is about to end: it failed beside a marked effect that was applied, or an earlier attempt
 * left it behind and this one did not call it. To complete the claim would take the step for confirmed, and to reject it for not
 * applied; to release it would repeat the effect. Not where a commit has completed the claim already.
 */
function doubtLeft({ record }: Held, effect: EffectState, { inDoubt }: Rested): InDoubtError | undefined {
  if (record.status !== 'in-flight') return undefined;
  const names = stepsInDoubt(record).map(({ name }) => name);
  const [first] = inDoubt;
  if (names.length === 0 && first === undefined) return undefined;
  const what = names.length > 0 ? `in doubt: ${names.join(', ')}` : recordedError(first?.error).message;
  const beside =
    effect.kind === 'applied' ? '; the effect beside it was applied, and would run again with the handler' : '';
  return new InDoubtError(`a step of the handler may or may not have been applied: ${what}${beside}`, {
    cause: first?.error,
  });
}

/** Whether too little time is left to start an effect and record its outcome; and if so, the error that says it. */
export function tooLate(
  { settings, emit }: Claims<never>,
  identity: Identity,
  leaseUntil: number,
): LeaseError | undefined {
  const remainingMs = leaseUntil - settings.marginMs - settings.host.now();
  if (remainingMs > settings.timeoutMs) return undefined;
  emit(identity, 'not-started', { remainingMs });
  return new LeaseError(`nothing was started: only ${remainingMs} ms are left`);
}
