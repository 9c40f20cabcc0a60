import { expect, longestTimeMs } from '../kernel/check.ts';
import { startHeartbeat } from '../kernel/heartbeat.ts';
import type { Lease } from './lease.ts';

/**
 * A lease of so many milliseconds, renewed by a heartbeat at every third of it for as long as the handler runs, and never
 * beyond the invocation. The claim of a worker that died can then be taken over after `leaseMs`, and not only at the end
 * of the time its invocation had; each beat costs a write.
 *
 * @throws OptionError unless `leaseMs` is a whole number, at most 366 days
 * @example
 * const refundOnce = once(
 *   {
 *     operation: 'refund',
 *     store,
 *     key: (payment: Payment) => payment.id,
 *     onAbandoned: 'park',
 *     lease: renewedLease(10_000),
 *   },
 *   (payment, claim) => bank.refund(payment, { idempotencyKey: claim.effectKey }),
 * );
 */
export function renewedLease(leaseMs: number): Lease {
  const example = 'a whole number of milliseconds, such as renewedLease(10_000)';
  const isTime = Number.isSafeInteger(leaseMs) && leaseMs >= 0 && leaseMs <= longestTimeMs;
  expect(isTime, 'leaseMs', example, leaseMs, 'wrong-lease');
  return {
    leaseMs,
    check(leastMs) {
      const expected = `more than timeoutMs + marginMs (${leastMs}), such as renewedLease(${2 * leastMs})`;
      expect(leaseMs > leastMs, 'lease', expected, leaseMs, 'wrong-lease');
    },
    keep: (host, beat) => startHeartbeat(host, { leaseMs, ...beat }),
  };
}

/** The lease of a claim that neither its author nor an invocation gives one, for calls outside of Lambda: a minute at least. */
export function fallbackLease({
  timeoutMs,
  marginMs,
}: {
  readonly timeoutMs: number;
  readonly marginMs: number;
}): Lease {
  return renewedLease(Math.max(60_000, 2 * (timeoutMs + marginMs)));
}
