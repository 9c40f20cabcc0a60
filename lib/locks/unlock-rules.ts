import { expect } from '../core/check.ts';
import type { Lock } from './lock.ts';
import type { Renewal } from './renewal.ts';

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

/** @throws OptionError: a rule that is misspelt would keep the lock without a word */
export function checkRules(rules: UnlockRules | undefined): void {
  for (const name of ['onSuccess', 'onFailure'] as const) {
    const rule = rules?.[name];
    const isRule = rule === 'unlock' || rule === 'keep' || typeof rule === 'function';
    expect(isRule, `unlock.${name}`, "'unlock', 'keep' or a function", rule);
  }
}

/**
 * Ends the work's hold on its lock. The lease is renewed for as long as the rule looks.
 *
 * Never throws: what has been done under the lock is done, and its error is the one to hear of.
 */
export async function settleWork(lock: Lock, rule: UnlockRule, renewal: Renewal): Promise<Settled> {
  const isFree = await unlocks(lock, rule);
  await renewal.stop();
  try {
    return await (isFree ? lock.unlock() : lock.keep());
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
