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
export interface Settings extends Required<Omit<ClaimOptions, 'leaseMs' | 'retentionSeconds'>> {
  readonly leaseMs: number | undefined;
  readonly rules: ClaimRules;
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
};

const longestMs = 12 * 3600_000;
/** Whole numbers, each with the least and the most that makes sense. */
const ranges = {
  leaseMs: [1000, longestMs],
  skewMs: [0, longestMs],
  timeoutMs: [0, longestMs],
  marginMs: [0, longestMs],
  retentionSeconds: [60, 1e9],
  maxAttempts: [1, 1e9],
  retryWindowSeconds: [1, 1e9],
  maxAbandoned: [1, 1e9],
  maxResultBytes: [0, 350_000],
} as const satisfies Partial<Record<keyof ClaimOptions, readonly [number, number]>>;

/** Merges defaults, and checks everything at once. @throws OptionError, naming the option, what was expected and what came */
export function settingsOf(options: ClaimOptions & { readonly host: Host }): Settings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const o = { ...defaults, ...(given as unknown as typeof options) };
  const { operation, store, onAbandoned, leaseMs } = o;
  const shortestLease = o.marginMs + o.timeoutMs;
  const retentionSeconds = o.retentionSeconds === 'forever' ? Infinity : o.retentionSeconds;

  const named = /^[\x21-\x22\x24-\x7e]{1,128}$/.test(operation);
  expect(
    named,
    'operation',
    "1 to 128 characters of printable ASCII without spaces or '#', e.g. 'send-email'",
    operation,
  );
  expect(store?.write, 'store', 'a claim store, e.g. dynamoStore({ tableName })', store);
  const policies: readonly AbandonedPolicy[] = ['retry', 'park'];
  const why = "'retry' (twice is better than never, or the provider honours the effect key) or 'park' (never twice)";
  expect(policies.includes(onAbandoned), 'onAbandoned', `${why}; there is no default`, onAbandoned);
  for (const [name, [min, max]] of Object.entries(ranges)) {
    const value = o[name as keyof typeof ranges];
    if (value !== undefined && value !== 'forever') expectNumber(name, value, min, max);
  }
  const longEnough = leaseMs === undefined || leaseMs > shortestLease;
  expect(longEnough, 'leaseMs', `more than timeoutMs + marginMs, which is ${shortestLease}`, leaseMs);

  return { ...o, leaseMs, rules: { ...o, retentionSeconds } };
}

/** @throws OptionError unless `ok` */
export function expect(ok: unknown, option: string, expected: string, came: unknown): void {
  if (ok) return;
  const shown =
    typeof came === 'string' ? JSON.stringify(came) : typeof came === 'function' ? 'a function' : String(came);
  throw new OptionError(`${option}: expected ${expected}; got ${shown}`);
}

/** @throws OptionError unless it is an integer in the range */
export function expectNumber(option: string, value: unknown, min: number, max: number): void {
  const ok = Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  expect(ok, option, `a whole number from ${min} to ${max}`, value);
}
