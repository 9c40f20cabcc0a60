import type { Claim } from './claim.ts';
import type { Claims, Phase } from './claims.ts';
import { LeaseError } from './errors.ts';
import type { Held } from './held.ts';
import type { Identity } from './identity.ts';
import { openClaim } from './open-claim.ts';
import type { Ran } from './ran.ts';

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
  const { host, timeoutMs, provider, unsettledMs, marksEffect } = claims.settings;
  const settled = provider && (await provider.settleDoubt<R>(claims, held, input));
  if (settled !== undefined) return settled;
  // A sandbox may have been frozen between the claim and this line: the lease is looked at once more before an effect.
  const error = tooLate(claims, held.identity, held.record.leaseUntil);
  if (error) return { ran: 'not-started', error, recorded: await claims.fail(held, error, 'before') };

  const { claim, stop } = openClaim(claims, held, host.now() + (timeoutMs || Infinity));
  let phase = (marksEffect ? 'before' : 'unmarked') as Phase;
  let pending: Promise<unknown> | undefined;
  let ended = false;
  /** How the effect failed, whatever the handler made of it. */
  let failure: { readonly error: unknown } | undefined;

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
      failure = { error };
    });
    pending = started;
    return started;
  }

  try {
    const value = await handler(input, Object.assign(claim, { effect }));
    ended = true;
    // An effect that the handler started and did not wait for would go on in a frozen sandbox, after its lease. One that
    // failed is not done, whatever the handler made of its error.
    await pending;
    await stop();
    return { ran: 'returned', value, applied: true, recorded: await claims.succeed(held, value) };
  } catch (thrown) {
    ended = true;
    await pending?.catch(() => undefined);
    await stop();
    // An error beside an effect that was started says nothing about that effect. Its own error does.
    const error = failure ? failure.error : thrown;
    const recorded = await claims.fail(held, error, phase);
    // The provider is asked at the next delivery: earlier than this, its "not applied" would not be believed.
    return { ran: 'threw', error, applied: phase === 'after', recorded, retryAfterMs: unsettledMs };
  }
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
