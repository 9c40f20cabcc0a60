import type { Claim } from '../../../lib/pawl/engine/claim.ts';
import type { Engine } from '../../../lib/pawl/engine/engine.ts';
import { openClaim } from '../../../lib/pawl/engine/open-claim.ts';
import { fail, succeed } from '../../../lib/pawl/engine/record-outcome.ts';
import type { run } from '../../../lib/pawl/engine/run.ts';
import type { RunResult } from '../../../lib/pawl/engine/run-result.ts';
import { settleDoubt } from '../../../lib/pawl/engine/settle-doubt.ts';
import { Work } from '../../../lib/pawl/engine/work.ts';
import type { Grant } from '../../../lib/pawl/rules/grant.ts';

/** A breakage to be found: `run` as it once was. What the handler throws decides over an effect that is still under way, and an error that is falsy is none. */
export const runByWhatWasThrown: typeof run = (engine, grant, handler, input) =>
  oldRun(false, engine, grant, handler, input);

/** The second half of that alone: what the effect throws decides, unless it is falsy. */
export const runByWhatIsTruthy: typeof run = (engine, grant, handler, input) =>
  oldRun(true, engine, grant, handler, input);

async function oldRun<Input, R>(
  hearsAllOfTheEffect: boolean,
  engine: Engine<Input>,
  grant: Grant,
  handler: (input: Input, claim: Claim) => Promise<R> | R,
  input: Input,
): Promise<RunResult<R>> {
  const { host, timeoutMs, unsettledMs, marksEffect } = engine.settings;
  const settled = await settleDoubt<Input, R>(engine, grant, input);
  if (settled !== undefined) return settled;
  const work = new Work();
  const { claim, stop } = openClaim(engine, grant, host.now() + (timeoutMs || Infinity), work);
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
    return { kind: 'returned', value, recorded: await succeed(engine, grant, value) };
  } catch (thrown) {
    ended = true;
    await pending?.catch(() => undefined);
    stop();
    const error = late || thrown;
    const recorded = await fail(engine, grant, error, phase);
    return { kind: 'threw', error, applied: Object.is(phase, 'after'), recorded, retryAfterMs: unsettledMs };
  }
}
