import { expectRun } from '../kernel/callable.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { inside } from './nested.ts';
import { type LockAllOptions, lockAllOptionNames } from './options.ts';
import type { Lock, OwnedLock } from './owned-lock.ts';
import { keepRenewed } from './renewal.ts';
import type { Resource } from './resource.ts';
import { type Settled, settleWork, type UnlockRules } from './unlock-rules.ts';

/**
 * The options of `withLock` and `tryWithLock`.
 *
 * @example
 * const options: WithLockOptions = {
 *   holder: claim.effectKey,
 *   reason: 'a repayment',
 *   unlock: { onSuccess: 'unlock', onFailure: 'keep' },
 * };
 */
export interface WithLockOptions extends LockAllOptions {
  /** What becomes of the lock when the work has ended. There is no default: only the author knows what a failure leaves behind. */
  readonly unlock: UnlockRules;
}

export const withLockOptionNames = { ...lockAllOptionNames, unlock: true } as const satisfies NamesOf<WithLockOptions>;

/** The lock as the work under it sees it. */
export type WorkingLock = Lock & {
  /** Aborted when the lock turns out to be another worker's, or its lease ends without having been renewed. */
  readonly signal: AbortSignal;
};

/**
 * What is done under a lock.
 *
 * @example
 * const repay: Work<number> = async (lock) => {
 *   for (const debt of payment.debts) lock.signal.throwIfAborted();
 *   return payment.debts.length;
 * };
 */
export type Work<R> = (lock: WorkingLock) => Promise<R> | R;

/** The work has returned, and this became of the lock after it. */
export interface Worked<R> {
  readonly outcome: 'done';
  readonly result: R;
  readonly lock: Settled;
}

/** A lock as its owner keeps it, and as the author of the work sees it. */
export interface GrantedLock {
  readonly owned: OwnedLock;
  readonly lock: Lock;
}

/**
 * Runs the work under a lock that was granted, and ends the lock by its rules.
 *
 * @throws what the work throws; LockKeptError
 */
export function workUnder<R>(
  { owned, lock }: GrantedLock,
  named: ReadonlyMap<string, Resource>,
  { onSuccess, onFailure }: UnlockRules,
  work: Work<R>,
): Promise<Worked<R>> {
  return inside(named, async () => {
    const renewal = keepRenewed(owned);
    const working: WorkingLock = { ...lock, signal: renewal.signal };
    const { settings } = owned;
    let result: R;
    try {
      result = expectRun(await work(working), 'the work under the lock');
    } catch (error) {
      await settleWork(settings, working, onFailure, renewal);
      throw error;
    }
    const { settled, unfinished } = await settleWork(settings, working, onSuccess, renewal);
    if (unfinished) throw unfinished;
    return { outcome: 'done', result, lock: settled };
  });
}
