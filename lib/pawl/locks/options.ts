import { type ClaimEvent, reportTheUnusual } from '../engine/events.ts';
import { expect, expectFunction, expectWhole } from '../kernel/check.ts';
import { lockDefaults } from '../kernel/defaults.ts';
import type { Host } from '../kernel/host.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation } from '../rules/identity.ts';
import type { LockStore } from './store.ts';

/**
 * The options of `resourceLocks`.
 *
 * @example
 * const options: LocksOptions = { store: memoryLockStore(), leaseMs: 30_000, keepMs: 900_000 };
 */
export interface LocksOptions {
  /** Where the locks are kept: `dynamoLockStore(dynamoStore({ tableName }))`, or `memoryLockStore()` in tests. */
  readonly store: LockStore;
  /**
   * How long a lock is exclusive unless it is renewed, in milliseconds. `withLock` renews it at every third of it.
   * @default 60000
   */
  readonly leaseMs?: number;
  /**
   * How long a kept lock waits for its holder's next attempt, in milliseconds: longer than the queue takes to deliver again.
   * @default 900000, which is 15 minutes
   */
  readonly keepMs?: number;
  /**
   * How far the clocks of two workers may be apart, in milliseconds.
   * @default 1000
   */
  readonly skewMs?: number;
  /**
   * What the events and the metrics of these locks are named after, such as `'repay'`.
   * @default 'locks'
   */
  readonly operation?: string;
  /**
   * What happens to the locks: see `ClaimEvent`. It gets ids and counts. What it throws is ignored.
   * @default one line of JSON to `console.warn` for whatever is out of the ordinary
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * The clock, the random source and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

/**
 * The options of `lockAll` and `tryLockAll`.
 *
 * @example
 * const options: LockAllOptions = { holder: claim.effectKey, reason: 'a repayment', waitMs: 2000 };
 * const lock = await locks.lockAll([['debt', 17], ['debt', 18]], options);
 */
export interface LockAllOptions {
  /**
   * Names the request that wants the resources, the same on every attempt: `claim.effectKey`, for example. A second attempt of the same
   * holder gets them, and the first can write no more.
   */
  readonly holder: string;
  /**
   * Why they are locked, in at most 512 characters, for other holders and for people.
   * @default ''
   */
  readonly reason?: string;
  /**
   * How long to wait for other holders, in milliseconds. A store that does not respond is awaited for some seconds longer.
   * @default 0: refused at once
   */
  readonly waitMs?: number;
}

export const locksOptionNames = {
  store: true,
  leaseMs: true,
  keepMs: true,
  skewMs: true,
  operation: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<LocksOptions>;

export const lockAllOptionNames = {
  holder: true,
  reason: true,
  waitMs: true,
} as const satisfies NamesOf<LockAllOptions>;

export type LockSettings = Required<LocksOptions>;

/** @throws OptionError, naming the option, what was expected and what was given */
export function lockSettings(options: LocksOptions & { readonly host: Host }): LockSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = { operation: 'locks', onEvent: reportTheUnusual, ...lockDefaults, ...given } as LockSettings;
  const { store } = settings;
  const writes = typeof store?.write === 'function';
  const expected = 'a lock store, such as dynamoLockStore(dynamoStore({ tableName }))';
  // A claim store reads and writes as well, and would fail at the first lock only.
  expect(writes && 'most' in store, 'store', expected, writes ? 'a claim store' : store, 'wrong-store');
  for (const name of Object.keys(lockDefaults) as (keyof typeof lockDefaults)[]) expectWhole(name, settings[name]);
  expectOperation(settings.operation);
  expectFunction('onEvent', 'a function', settings.onEvent);
  expect(settings.leaseMs >= 100, 'leaseMs', 'at least 100', settings.leaseMs);
  return settings;
}

/** @throws OptionError */
export function checkLockAll({ holder, reason = '', waitMs = 0 }: LockAllOptions): Required<LockAllOptions> {
  expect(
    typeof holder === 'string' && holder !== '' && holder.length <= 1024 && holder.isWellFormed(),
    'holder',
    '1 to 1024 characters of well-formed text',
    // Never the text itself: it may identify a person, and errors go to logs.
    sizeOf(holder),
  );
  const isReason = typeof reason === 'string' && reason.length <= 512 && reason.isWellFormed();
  expect(isReason, 'reason', 'at most 512 characters of well-formed text', sizeOf(reason));
  // A share of the time that is left is rarely a whole number.
  expect(typeof waitMs === 'number' && waitMs >= 0, 'waitMs', 'a number, 0 or more', waitMs);
  return { holder, reason, waitMs };
}

function sizeOf(text: unknown): unknown {
  return typeof text === 'string' ? text.length : typeof text;
}
