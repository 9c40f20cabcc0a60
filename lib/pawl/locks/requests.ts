import { StoreUnavailableError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import type { Write, Written } from '../kernel/record.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { insist, type RetryPolicy } from '../kernel/retry.ts';
import type { LockRecord } from './record.ts';
import type { LockStore } from './store.ts';

/** How often a request that fails is sent, on top of what the SDK does by itself. */
const mostTries = 4;

/** What requests to a lock store need to know. */
export interface RequestSettings {
  readonly host: Host;
  readonly leaseMs: number;
}

/**
 * How long one request may take, in milliseconds: an SDK without time-outs waits for ever, and the lease does not. A short lease
 * still leaves time for a request.
 */
export function requestMsOf({ leaseMs }: Pick<RequestSettings, 'leaseMs'>): number {
  return Math.min(5000, Math.max(1000, leaseMs));
}

/**
 * How long a request is tried.
 *
 * @param deadline when the caller wants to give up, in epoch milliseconds. A request has its time also after that: what it has found out is
 *   worth more than that it came too late
 */
export function policyOf(settings: RequestSettings, deadline = Infinity): RetryPolicy {
  const requestMs = requestMsOf(settings);
  return { requestMs, until: Math.max(deadline, settings.host.now()) + requestMs, tries: mostTries };
}

/**
 * Sends a request until it succeeds.
 *
 * @param deadline as for `policyOf`
 * @throws StoreUnavailableError when `send` keeps failing
 */
export async function ask<T>(settings: RequestSettings, send: () => Promise<T>, deadline?: number): Promise<T> {
  try {
    return await insist(settings.host, send, policyOf(settings, deadline));
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** The error with which a request that failed for good reaches the caller. */
export function unavailable(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`the lock store: ${recordedError(cause).message}`, { cause });
}

/** One write of one lock, as the kernel's `change` wants it. */
export async function writeLock(store: LockStore, write: Write<LockRecord>): Promise<Written<LockRecord>> {
  const result = await store.write([write]);
  if (result.applied) return result;
  const [found] = result.found;
  return { applied: false, found: found?.kind === 'lock' ? found : undefined };
}
