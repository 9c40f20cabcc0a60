import type { Claim, Doubt, Verdict } from './claim.ts';
import type { Claims, Phase, Recorded } from './claims.ts';
import { LeaseError } from './errors.ts';
import type { Held } from './held.ts';
import type { Identity } from './identity.ts';
import { recordedError } from './record.ts';

export interface Ran<R> {
  /**
   * `not-started`: too little time was left, and the claim was given back before anything began. `reconciled`: the
   * provider says that an earlier attempt has done it. `in-doubt`: the provider could not say yet.
   */
  readonly ran: 'returned' | 'threw' | 'not-started' | 'reconciled' | 'in-doubt';
  readonly value?: R;
  readonly error?: unknown;
  /** The effect is known to have happened, whether or not that could be recorded. */
  readonly applied?: boolean;
  readonly recorded: Recorded;
  /** How long it makes no sense to ask again, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Asks the provider about an attempt in doubt. */
export type Ask = (doubt: Doubt) => Promise<Verdict> | Verdict;

/** Runs a handler under a claim and records how it ended. Never throws: what the handler threw is in the answer. */
export async function run<R>(
  claims: Claims,
  held: Held,
  handler: (claim: Claim) => Promise<R> | R,
  ask?: Ask,
): Promise<Ran<R>> {
  const settled = await settleDoubt<R>(claims, held, ask);
  if (settled !== undefined) return settled;
  const { host, timeoutMs, settleMs, marksEffect, rules } = claims.settings;
  // A sandbox may have been frozen between the claim and this line: the lease is looked at once more before an effect.
  const error = tooLate(claims, held.identity, held.record.leaseUntil);
  if (error) return { ran: 'not-started', error, recorded: await claims.fail(held, error, 'before') };

  const { claim, stop } = openClaim(claims, held, timeoutMs > 0 ? host.now() + timeoutMs : Infinity);
  let phase = (marksEffect ? 'before' : 'unmarked') as Phase;
  let pending: Promise<unknown> | undefined;
  let ended = false;
  /** What the effect threw after the handler had ended. */
  let late: unknown;

  function effect<T>(start: () => Promise<T> | T): Promise<T> {
    // A branch of the handler that outlived it may not start what has been recorded as not started.
    if (ended || pending) throw new Error('claim.effect: one effect, while its handler runs');
    if (claim.remainingMs() <= 0) throw new LeaseError('the effect was not started: the time is over');
    phase = 'during';
    const started = (async () => {
      // Not before `pending` is set: an effect started inside of this one would pass for it.
      await undefined;
      const value = await start();
      phase = 'after';
      return value;
    })();
    // Its error is not lost on a handler that does not wait for it: `pending` is waited for below.
    started.catch((error) => {
      late = ended && error;
    });
    pending = started;
    return started;
  }

  try {
    const value = await handler(Object.assign(claim, { effect }));
    ended = true;
    // An effect that the handler started and did not wait for would go on in a frozen sandbox, after its lease. One that
    // failed is not done, whatever the handler made of its error.
    await pending;
    await stop();
    return { ran: 'returned', value, applied: true, recorded: await claims.succeed(held, value) };
  } catch (thrown) {
    ended = true;
    await Promise.allSettled([pending]);
    await stop();
    // An error beside an effect that was still under way says nothing about that effect.
    const error = late || thrown;
    const recorded = await claims.fail(held, error, phase);
    // The provider is asked at the next delivery: earlier than this, its "not applied" would not be believed.
    const retryAfterMs = settleMs && settleMs + rules.skewMs;
    return { ran: 'threw', error, applied: phase === 'after', recorded, retryAfterMs };
  }
}

/**
 * Asks the provider about an earlier attempt in doubt, if there is one. Answers nothing when the handler may run.
 * The old holder has been fenced off by then: the claim is ours.
 */
export async function settleDoubt<R>(claims: Claims, held: Held, ask: Ask | undefined): Promise<Ran<R> | undefined> {
  if (!held.inDoubt || ask === undefined) return undefined;
  const { host, settleMs, rules } = claims.settings;
  const retryAfterMs = (held.record.unknownAt ?? 0) + settleMs + rules.skewMs - host.now();
  const settled = retryAfterMs <= 0;
  const { claim, stop } = openClaim(claims, held, Infinity);
  const { signal } = claim;
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  let answer: { readonly verdict?: string; readonly result?: unknown } | undefined;
  let error: unknown = 'the provider cannot say yet';
  try {
    answer = await Promise.race([late, ask(claim)]);
  } catch (thrown) {
    error = thrown;
  }
  await stop();
  const { verdict = 'inconclusive', result } = answer ?? {};
  claims.emit(held.identity, 'reconciled', { verdict, settled });
  if (verdict === 'applied') {
    return { ran: 'reconciled', value: result as R, applied: true, recorded: await claims.succeed(held, result) };
  }
  if (verdict === 'not-applied' && settled) return undefined;
  // "Not applied", asked too early, is no failure of the provider's: it only has to be asked again.
  const doubt = recordedError(error);
  const recorded = await claims.leaveInDoubt(held, doubt, verdict !== 'not-applied');
  return { ran: 'in-doubt', error: doubt, recorded, retryAfterMs: Math.max(0, retryAfterMs) };
}

/** Whether too little time is left to start an effect and record its outcome; and if so, the error that says it. */
export function tooLate({ settings, emit }: Claims, identity: Identity, leaseUntil: number): LeaseError | undefined {
  const remainingMs = leaseUntil - settings.marginMs - settings.host.now();
  if (remainingMs > settings.timeoutMs) return undefined;
  emit(identity, 'not-started', { remainingMs });
  return new LeaseError(`nothing was started: only ${remainingMs} ms are left`);
}

/** What a handler sees of its claim. Its lease is kept, and its signal aborted in time, until `stop`. */
function openClaim(claims: Claims, held: Held, latest: number) {
  const { host, operation, marginMs } = claims.settings;
  const { key, effectKey } = held.identity;
  const controller = new AbortController();
  const abort = (why: string) => controller.abort(new LeaseError(why));
  const keeping = claims.leaseOf(held.deadline)?.keep(claims, held, abort);
  let cancelAbort: (() => void) | undefined;

  const end = () => Math.min(latest, held.record.leaseUntil - marginMs);
  const remainingMs = () => (controller.signal.aborted ? 0 : Math.max(0, end() - host.now()));

  function armAbort(): void {
    cancelAbort = host.after(remainingMs(), () => {
      // A renewal may have moved the end meanwhile.
      if (remainingMs() > 0) armAbort();
      else abort('the time is over; the effect may have been applied');
    });
  }

  const claim = {
    operation,
    key,
    effectKey,
    attempt: held.record.attempts,
    fence: held.record.fence,
    remainingMs,
    get signal(): AbortSignal {
      if (cancelAbort === undefined) armAbort();
      return controller.signal;
    },
  };

  async function stop(): Promise<void> {
    cancelAbort?.();
    await keeping?.();
  }

  return { claim, stop };
}
