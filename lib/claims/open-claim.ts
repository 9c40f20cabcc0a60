import { LeaseError } from '../kernel/errors.ts';
import { checkpointsOf } from './checkpoints.ts';
import type { Claim } from './claim.ts';
import type { Engine, Held } from './held.ts';
import { insideOf, putInside } from './inside.ts';
import { createWork, type Work } from './work.ts';

/** What a handler sees of its claim, but for its effect. The lease is kept, and the signal aborted in time, until `stop`. */
export function openClaim(engine: Engine, held: Held, latest: number, work: Work = createWork()) {
  const { host, operation, marginMs } = engine.settings;
  const { key, effectKey } = held.identity;
  let ended: LeaseError | undefined;
  let controller: AbortController | undefined;
  let cancelAbort: (() => void) | undefined;

  function abort(why: string): void {
    ended ??= new LeaseError(why);
    controller?.abort(ended);
  }

  function remainingMs(): number {
    return ended ? 0 : Math.max(0, Math.min(latest, held.record.leaseUntil - marginMs) - host.now());
  }

  function armAbort(): void {
    cancelAbort = host.after(remainingMs(), () => {
      // A renewal may have moved the end meanwhile.
      if (remainingMs() > 0) armAbort();
      else abort('the time is over; the effect may have been applied');
    });
  }

  function signal(): AbortSignal {
    if (controller === undefined) {
      controller = new AbortController();
      if (ended) controller.abort(ended);
      else armAbort();
    }
    return controller.signal;
  }

  const claim = {
    operation,
    key,
    effectKey,
    attempt: held.record.attempts,
    fence: held.record.fence,
    remainingMs,
  };
  const steps = { found: checkpointsOf(held.record), names: [], last: Promise.resolve() };
  putInside(claim, { engine, held, work, steps, signal });
  Object.defineProperty(claim, 'signal', signalOfClaim);

  const keeping = engine.leaseOf(held.deadline)?.keep(engine, held, abort);

  function stop(): void {
    cancelAbort?.();
    keeping?.();
  }

  return { claim: claim as Omit<Claim, 'effect'>, stop };
}

/** One function for all claims: to an object with a getter of its own, V8 gives a hidden class of its own, and each of them lives long. */
const signalOfClaim: PropertyDescriptor = {
  enumerable: true,
  get(this: object) {
    return insideOf(this).signal();
  },
};
