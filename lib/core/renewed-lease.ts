import { expect, expectWhole } from './check.ts';
import { factsOf } from './events.ts';
import type { Lease } from './held.ts';
import { type ClaimRecord, recordedError } from './record.ts';
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
      let beating: Promise<void> | undefined;
      let cancel: (() => void) | undefined;

      async function beat(): Promise<void> {
        try {
          const extended = (found: ClaimRecord | undefined) => renew(claimId, found, engine.leaseEnd(held.deadline));
          if ((await engine.change(held, extended, 0)) === 'stale') {
            engine.emit(held.identity, 'stale-claim', factsOf(held.record));
            return lost('another worker has taken the claim over');
          }
        } catch (error) {
          // One missed beat is no loss: the lease still runs, and the next beat comes before its end.
          engine.emit(held.identity, 'store-unavailable', { error: recordedError(error) });
        }
        next();
      }

      function next(): void {
        cancel = host.after(leaseMs / 3, () => {
          beating = beat();
        });
      }
      next();

      return async function stop() {
        cancel?.();
        await beating;
        // A beat that was under way may have armed the next one: a heartbeat that outlives its handler holds a dead claim.
        cancel?.();
      };
    },
  };
}
