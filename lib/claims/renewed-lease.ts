import { expect, expectWhole } from '../kernel/check.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { factsOf } from './events.ts';
import type { Lease } from './held.ts';
import type { ClaimRecord } from './record.ts';
import { renew } from './settle.ts';

/**
 * A lease of so many milliseconds, renewed by a heartbeat at every third of it for as long as the handler runs, and never
 * beyond the invocation. The claim of a worker that died can then be taken over after `leaseMs`, and not only at the end
 * of the time its invocation had; each beat costs a write.
 *
 * @throws OptionError unless `leaseMs` is a whole number
 * @example
 * lease: renewedLease(10_000),
 */
export function renewedLease(leaseMs: number): Lease {
  expectWhole('leaseMs', leaseMs);
  return {
    leaseMs,
    check(leastMs) {
      expect(leaseMs > leastMs, 'lease', `more than timeoutMs + marginMs (${leastMs})`, leaseMs);
    },
    keep(engine, held, lost) {
      const { host } = engine.settings;
      const { claimId } = held.record;
      const everyMs = leaseMs / 3;
      let stopped = false;
      let cancel: (() => void) | undefined;

      /** Never rejects: nothing waits for it. */
      async function beat(): Promise<void> {
        let lostIt = false;
        const startedAt = host.now();
        try {
          const extended = (found: ClaimRecord | undefined) =>
            renew(claimId, found, engine.leaseEnd(held.deadline), engine.settings);
          // One that hangs is given up when the next is due: waited for any longer, it alone would cost the lease. Not when the lease ends by
          // what is known of it here: after a clock was set forward that is over, and no beat would ever be waited for again.
          const how = { until: startedAt + everyMs, retries: false };
          lostIt = (await engine.change(held, extended, how)) === 'stale';
        } catch (error) {
          // One missed beat is no loss: the lease still runs, and the next beat comes before its end.
          if (!stopped) engine.emit(held.identity, 'store-unavailable', { error: recordedError(error) });
        }
        // The handler has ended while this beat was under way. What it wrote, if anything, the completion has seen or fenced off.
        if (stopped) return;
        if (!lostIt) return next(host.now() - startedAt);
        engine.emit(held.identity, 'stale-claim', factsOf(held.record));
        lost('another worker has taken the claim over');
      }

      function next(tookMs: number): void {
        // Not below 0, nor later than a third, whatever becomes of the clock meanwhile.
        cancel = host.after(Math.min(everyMs, Math.max(0, everyMs - tookMs)), () => void beat());
      }
      next(0);

      // It does not wait for a beat under way: one that hangs would keep the completion of an effect that has happened.
      return function stop() {
        stopped = true;
        cancel?.();
      };
    },
  };
}
