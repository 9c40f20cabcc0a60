import type { AbandonedPolicy, ClaimRules } from './decide.ts';
import { OptionError } from './errors.ts';
import { type ClaimEvent, reportTheUnusual } from './events.ts';
import type { Host } from './host.ts';
import type { ClaimStore } from './store.ts';

/** What an error thrown by a handler says about its effect, in the author's judgement. */
export type Classification = 'retryable' | 'rejected' | 'unknown';

/** The options that every way into pawl has in common. */
export interface ClaimOptions {
  /** What the consumer does, e.g. `issue-gift-card`: the namespace of its keys. It must not change, or every effect may happen again. */
  readonly operation: string;
  /** Where the claims are kept: `dynamoStore({ tableName })`, or `memoryStore()` in tests. */
  readonly store: ClaimStore;
  /**
   * What becomes of an effect that may or may not have happened, because its worker died or its handler threw something
   * that does not say. There is no default: only the author knows which mistake is the worse one.
   *
   * - `'retry'`: run it again. Right when the provider honours the effect key, or when twice is better than never.
   * - `'park'`: never twice. The claim waits for somebody's decision, and the message goes to the dead-letter queue.
   */
  readonly onAbandoned: 'retry' | 'park';
  /**
   * How long a claim is exclusive, in milliseconds. Renewed while the handler runs, and never longer than the invocation.
   * @default the invocation's remaining time; where there is none, 60,000
   */
  readonly leaseMs?: number;
  /**
   * How far the clocks of two workers may be apart, in milliseconds.
   * @default 1000
   */
  readonly skewMs?: number;
  /**
   * The longest that one run of the handler takes, in milliseconds. Nothing is started with less time left, and `claim.signal` is aborted after it.
   * @default no limit but the lease
   */
  readonly timeoutMs?: number;
  /**
   * Time kept back at the end of a lease for recording the outcome, in milliseconds.
   * @default 1000
   */
  readonly marginMs?: number;
  /**
   * How long an outcome is remembered, in seconds. It must outlast every redelivery: the queue's and the dead-letter
   * queue's retention together.
   * @default 2592000, which is 30 days
   */
  readonly retentionSeconds?: number | 'forever';
  /**
   * After how many grants a key that keeps failing is parked.
   * @default 20
   */
  readonly maxAttempts?: number;
  /**
   * How long after it was first seen a failing key may still be tried, in seconds.
   * @default 1209600, which is 14 days
   */
  readonly retryWindowSeconds?: number;
  /**
   * How many workers may end without an outcome before the key is parked, whatever the policy: the message kills them.
   * @default 3
   */
  readonly maxAbandoned?: number;
  /** What the author knows about an error: `'retryable'` (nothing was applied), `'rejected'` (final), or `'unknown'`. */
  readonly classify?: (error: unknown) => Classification | undefined;
  /**
   * Says that all effects of the handler are inside `claim.effect(…)`. An error before it is then known to have applied nothing.
   * @default false
   */
  readonly marksEffect?: boolean;
  /**
   * Whether the handler's result is kept, as JSON, and given to duplicates.
   * @default true
   */
  readonly recordResult?: boolean;
  /**
   * The largest result that is kept, in bytes of JSON.
   * @default 16384
   */
  readonly maxResultBytes?: number;
  /**
   * Hears of everything that happens to a claim. It must not throw; what it throws is ignored.
   * @default whatever is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /** The clock, the random source and the timers. Only simulations set it. */
  readonly host?: Host;
}

/** Options after defaults and validation. */
export interface Settings {
  readonly operation: string;
  readonly store: ClaimStore;
  readonly rules: ClaimRules;
  readonly leaseMs: number | undefined;
  readonly timeoutMs: number;
  readonly marginMs: number;
  readonly classify: (error: unknown) => Classification | undefined;
  readonly marksEffect: boolean;
  readonly recordResult: boolean;
  readonly maxResultBytes: number;
  readonly onEvent: (event: ClaimEvent) => void;
  readonly host: Host;
}

const defaults = {
  skewMs: 1000,
  timeoutMs: 0,
  marginMs: 1000,
  retentionSeconds: 30 * 24 * 3600,
  maxAttempts: 20,
  retryWindowSeconds: 14 * 24 * 3600,
  maxAbandoned: 3,
  classify: () => undefined,
  marksEffect: false,
  recordResult: true,
  maxResultBytes: 16_384,
  onEvent: reportTheUnusual,
} as const;

/** Merges defaults, and checks everything at once. @throws OptionError, naming the option, what was expected and what came */
export function settingsOf(options: ClaimOptions & { readonly host: Host }): Settings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const o = { ...defaults, ...(given as unknown as typeof options) };

  expect(
    typeof o.operation === 'string' && /^[\x21-\x22\x24-\x7e]{1,128}$/.test(o.operation),
    'operation',
    "1 to 128 printable ASCII characters without spaces or '#', e.g. 'issue-gift-card'",
    o.operation,
  );
  expect(
    typeof o.store?.read === 'function' && typeof o.store?.write === 'function',
    'store',
    'a claim store, e.g. dynamoStore({ tableName })',
    o.store,
  );
  const policies: readonly AbandonedPolicy[] = ['retry', 'park'];
  expect(
    policies.includes(o.onAbandoned),
    'onAbandoned',
    "'retry' (run again: the provider honours the effect key, or twice is better than never) or 'park' (never twice: somebody decides). There is no default on purpose",
    o.onAbandoned,
  );
  if (o.leaseMs !== undefined) expectNumber('leaseMs', o.leaseMs, 1000, 12 * 3600_000);
  expectNumber('skewMs', o.skewMs, 0, 3600_000);
  expectNumber('timeoutMs', o.timeoutMs, 0, 12 * 3600_000);
  expectNumber('marginMs', o.marginMs, 0, 900_000);
  expectNumber('maxAttempts', o.maxAttempts, 1, Number.MAX_SAFE_INTEGER);
  expectNumber('maxAbandoned', o.maxAbandoned, 1, Number.MAX_SAFE_INTEGER);
  expectNumber('retryWindowSeconds', o.retryWindowSeconds, 1, Number.MAX_SAFE_INTEGER / 1000);
  expectNumber('maxResultBytes', o.maxResultBytes, 0, 350_000);
  if (o.retentionSeconds !== 'forever') expectNumber('retentionSeconds', o.retentionSeconds, 60, 10 * 366 * 24 * 3600);
  const shortestLease = o.marginMs + o.timeoutMs;
  expect(
    o.leaseMs === undefined || o.leaseMs > shortestLease,
    'leaseMs',
    `more than timeoutMs + marginMs (${shortestLease}), or nothing could ever be started`,
    o.leaseMs,
  );

  return {
    operation: o.operation,
    store: o.store,
    rules: {
      onAbandoned: o.onAbandoned,
      skewMs: o.skewMs,
      maxAbandoned: o.maxAbandoned,
      maxAttempts: o.maxAttempts,
      retryWindowMs: o.retryWindowSeconds * 1000,
      retentionSeconds: o.retentionSeconds === 'forever' ? Infinity : o.retentionSeconds,
    },
    leaseMs: o.leaseMs,
    timeoutMs: o.timeoutMs,
    marginMs: o.marginMs,
    classify: o.classify,
    marksEffect: o.marksEffect,
    recordResult: o.recordResult,
    maxResultBytes: o.maxResultBytes,
    onEvent: o.onEvent,
    host: o.host,
  };
}

/** @throws OptionError unless `ok` */
export function expect(ok: boolean, option: string, expected: string, came: unknown): asserts ok {
  if (!ok) throw new OptionError(`${option}: expected ${expected}; got ${shown(came)}`);
}

/** @throws OptionError unless it is an integer in the range */
export function expectNumber(option: string, value: unknown, min: number, max: number): asserts value is number {
  const ok = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  expect(ok, option, `a whole number from ${min} to ${max}`, value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
