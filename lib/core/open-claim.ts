import type { Claim } from './claim.ts';
import { LeaseError } from './errors.ts';
import type { Engine, Held } from './held.ts';

/** What a handler sees of its claim, but for its effect. The lease is kept, and the signal aborted in time, until `stop`. */
export function openClaim(engine: Engine, held: Held, latest: number) {
  const { host, operation, marginMs } = engine.settings;
  const { key, effectKey } = held.identity;
  const controller = new AbortController();
  const abort = (why: string) => controller.abort(new LeaseError(why));
  const keeping = engine.leaseOf(held.deadline)?.keep(engine, held, abort);
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

  const claim: Omit<Claim, 'effect'> = {
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
