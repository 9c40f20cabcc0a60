import type { ClaimRecord } from './record.ts';

/**
 * For how long its worker may still be at the effect of a claim in flight: until the lease ends, and as long after it as clocks may differ.
 *
 * @returns milliseconds; 0 or less where nobody is at it any more
 */
export function heldForMs({ leaseUntil }: Pick<ClaimRecord, 'leaseUntil'>, skewMs: number, now: number): number {
  return leaseUntil + skewMs - now;
}
