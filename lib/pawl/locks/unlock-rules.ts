import { expect, expectFunction } from '../kernel/check.ts';
import { answeredBy } from '../kernel/request.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { LockKeptError } from './errors.ts';
import type { LockSettings } from './options.ts';
import type { Lock } from './owned-lock.ts';
import type { Renewal } from './renewal.ts';
import { requestMsOf } from './requests.ts';

/**
 * Whether resources are unlocked: always, never, or if a function returns `true` after a look at the state of the work, e.g. "all targets are repaid".
 * Resources that are not unlocked are kept for the holder's next attempt, for `keepMs`. If the function throws, they are kept as well.
 */
export type UnlockRule = 'unlock' | 'keep' | ((lock: Lock) => Promise<boolean> | boolean);

/** What becomes of a lock when the work under it has ended. */
export interface UnlockRules {
  readonly onSuccess: UnlockRule;
  readonly onFailure: UnlockRule;
}

/**
 * What became of a lock. `stale`: it was another worker's by then. `unknown`: the store did not respond within some seconds; the
 * resources are free when the lease ends, or earlier.
 */
export type Settled = 'unlocked' | 'kept' | 'stale' | 'unknown';

const known = { onSuccess: true, onFailure: true } as const satisfies NamesOf<UnlockRules>;

/** @throws OptionError: a rule that is misspelt would keep the lock without a word */
export function checkRules(rules: UnlockRules | undefined): void {
  if (rules !== undefined)
    expectOptions(rules, { door: 'withLock', within: 'unlock', known, docs: 'docs/guides/locks.md' });
  for (const name of ['onSuccess', 'onFailure'] as const) {
    const rule = rules?.[name];
    const isRule = rule === 'unlock' || rule === 'keep' || typeof rule === 'function';
    expect(isRule, `unlock.${name}`, "'unlock', 'keep' or a function", rule);
    if (typeof rule === 'function') expectFunction(`unlock.${name}`, "'unlock', 'keep' or a function", rule);
  }
}

/** What became of a lock whose work has ended. `unfinished`: the work returned, and its rule did not say that all is done. */
export interface Ending {
  readonly settled: Settled;
  readonly unfinished?: LockKeptError;
}

/**
 * Ends the work's hold on its lock. The lease is renewed while the rule looks, for one lease at most.
 *
 * Never throws, and awaits nothing that can hang: what has been done under the lock is done, and its result must reach the caller.
 */
export async function settleWork(
  settings: LockSettings,
  lock: Lock,
  rule: UnlockRule,
  renewal: Renewal,
): Promise<Ending> {
  const { host } = settings;
  const look = await looked(settings, lock, rule);
  renewal.stop();
  const unfinished = look.isOpen && { unfinished: new LockKeptError(look.cause) };
  try {
    const until = host.now() + requestMsOf(settings);
    const settled = await answeredBy<Settled>(host, until, look.isFree ? lock.unlock() : lock.keep());
    return { settled, ...unfinished };
  } catch {
    return { settled: 'unknown', ...unfinished };
  }
}

interface Look {
  readonly isFree: boolean;
  /** The author's function was asked, and has not said that all is done. */
  readonly isOpen: boolean;
  readonly cause?: ErrorOptions;
}

async function looked({ host, leaseMs }: LockSettings, lock: Lock, rule: UnlockRule): Promise<Look> {
  if (typeof rule !== 'function') return { isFree: rule === 'unlock', isOpen: false };
  try {
    const until = host.now() + Math.max(leaseMs, 1000);
    const isFree = (await answeredBy(host, until, callRule(rule, lock))) === true;
    return { isFree, isOpen: !isFree };
  } catch (cause) {
    return { isFree: false, isOpen: true, cause: { cause } };
  }
}

/** A rule that throws before it returns a promise is one that fails, too. */
async function callRule(rule: Exclude<UnlockRule, string>, lock: Lock): Promise<unknown> {
  return rule(lock);
}
