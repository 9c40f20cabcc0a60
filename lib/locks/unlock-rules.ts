import type { Lock } from './lock.ts';

/**
 * Whether resources are unlocked: always, never, or if a look at the state of the work says so, e.g. "all targets are repaid".
 * What is not unlocked is kept for the holder's next attempt, for `keepMs`. A look that fails has not said that they are done.
 */
export type UnlockRule = 'unlock' | 'keep' | ((lock: Lock) => Promise<boolean> | boolean);

/** What becomes of a lock when the work under it has ended. */
export interface UnlockRules {
  readonly onSuccess: UnlockRule;
  readonly onFailure: UnlockRule;
}

/**
 * What became of a lock. `stale`: it was somebody else's by then. `unknown`: the store did not answer; the resources are free
 * when the lease ends.
 */
export type Settled = 'unlocked' | 'kept' | 'stale' | 'unknown';

/** Never throws: what has been done under the lock is done, and its error is the one to hear of. */
export async function settleWork(lock: Lock, rule: UnlockRule): Promise<Settled> {
  try {
    return await ((await unlocks(lock, rule)) ? lock.unlock() : lock.keep());
  } catch {
    return 'unknown';
  }
}

async function unlocks(lock: Lock, rule: UnlockRule): Promise<boolean> {
  if (typeof rule !== 'function') return rule === 'unlock';
  try {
    return (await rule(lock)) === true;
  } catch {
    return false;
  }
}
