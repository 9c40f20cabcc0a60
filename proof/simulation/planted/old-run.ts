import type { Claim } from '../../../lib/claims/claim.ts';
import type { Claims } from '../../../lib/claims/engine.ts';
import type { Held } from '../../../lib/claims/held.ts';
import { openClaim } from '../../../lib/claims/open-claim.ts';
import type { Ran } from '../../../lib/claims/ran.ts';
import type { run } from '../../../lib/claims/run.ts';
import { createWork } from '../../../lib/claims/work.ts';

/** A breakage to be found: `run` as it once was. What the handler throws decides over an effect that is still under way, and an error that is falsy is none. */
export const runByWhatWasThrown: typeof run = (...args) => oldRun(false, ...args);

/** The second half of that alone: what the effect throws decides, unless it is falsy. */
export const runByWhatIsTruthy: typeof run = (...args) => oldRun(true, ...args);

async function oldRun<Input, R>(
  hearsAllOfTheEffect: boolean,
  claims: Claims<Input>,
  held: Held,
  handler: (input: Input, claim: Claim) => Promise<R> | R,
  input: Input,
): Promise<Ran<R>> {
  const { host, timeoutMs, provider, unsettledMs, marksEffect } = claims.settings;
  const settled = provider && (await provider.settleDoubt<R>(claims, held, input));
  if (settled !== undefined) return settled;
  const work = createWork();
  const { claim, stop } = openClaim(claims, held, host.now() + (timeoutMs || Infinity), work);
  let phase: 'before' | 'unmarked' | 'during' | 'after' = marksEffect ? 'before' : 'unmarked';
  let pending: Promise<unknown> | undefined;
  let ended = false;
  let late: unknown;

  function effect<T>(start: () => Promise<T> | T): Promise<T> {
    phase = 'during';
    const started = (async () => {
      const value = await start();
      phase = 'after';
      return value;
    })();
    started.catch((error) => {
      late = (ended || hearsAllOfTheEffect) && error;
    });
    pending = started;
    return started;
  }

  try {
    const value = await handler(input, Object.assign(claim, { effect }));
    ended = true;
    await pending;
    stop();
    return { ran: 'returned', value, applied: true, recorded: await claims.succeed(held, value) };
  } catch (thrown) {
    ended = true;
    await pending?.catch(() => undefined);
    stop();
    const error = late || thrown;
    const recorded = await claims.fail(held, error, phase);
    return { ran: 'threw', error, applied: Object.is(phase, 'after'), recorded, retryAfterMs: unsettledMs };
  }
}
