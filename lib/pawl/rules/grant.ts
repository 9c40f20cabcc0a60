import type { Identity } from './identity.ts';
import type { ClaimRecord } from './record.ts';

/** A claim that was granted to this worker. */
export interface Grant {
  readonly identity: Identity;
  /** As this worker last wrote it; `leaseUntil` moves on with every renewal. */
  record: ClaimRecord;
  /** When the invocation ends, in epoch milliseconds; `undefined` where nothing ends it. */
  readonly deadline: number | undefined;
  /**
   * Until when the worker keeps the claim, in epoch milliseconds, where its code outlives the invocation.
   * @default the deadline
   */
  readonly keptUntil?: number | undefined;
}

/** Until when something may be started under a claim, in epoch milliseconds. A claim that is kept beyond its invocation is kept for what runs already. */
export function startsUntil({ record: { leaseUntil }, deadline }: Grant): number {
  return Math.min(leaseUntil, deadline ?? Infinity);
}

/** Takes over what the record has become. The answer to an earlier write may come late, that of a heartbeat say, and must not set it back. */
export function moveOn(grant: Grant, record: ClaimRecord | undefined): void {
  if (record !== undefined && record.rev >= grant.record.rev) grant.record = record;
}
