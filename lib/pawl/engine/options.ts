import { expect, expectWhole } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { claimOptions, type ExactRows } from '../kernel/door-options.ts';
import type { Classification } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { hiding, type KeyHash } from '../kernel/key-hash.ts';
import { executionsOperation, producersOperations } from '../kernel/name.ts';
import { expectInRange, expectKinds } from '../kernel/option-kinds.ts';
import type { ClaimRules } from '../rules/decide.ts';
import { expectOperation } from '../rules/identity.ts';
import type { Attributes } from '../rules/record.ts';
import type { ClaimStore } from '../rules/store.ts';
import { sayingMistakes } from './classifier.ts';
import { type ClaimEvent, reportTheUnusual } from './events.ts';
import { warnOfGap } from './gap-in-key.ts';
import type { Lease } from './lease.ts';
import { enforcedShare, type Mode } from './observe/mode.ts';
import { type Policy, policyOf } from './policy.ts';
import type { Reconcile } from './reconcile.ts';

/**
 * The options that every way into pawl has in common.
 *
 * @example
 * const shared: Omit<ClaimOptions<Order>, 'operation'> = {
 *   store,
 *   onAbandoned: 'park',
 *   timeoutMs: 10_000,
 *   retentionSeconds: 30 * 24 * 3600,
 *   attributes: (order) => ({ amountCents: order.amountCents }),
 * };
 */
export interface ClaimOptions<Input> {
  /** What the consumer does, e.g. `issue-gift-card`: the namespace of its keys. It must not change, or every effect may happen again. */
  readonly operation: string;
  /**
   * Where the claims are kept: `dynamoStore({ tableName })`, or `postgresStore({ pool })` of `pawl/postgres`, or `memoryStore()` in tests. While it
   * cannot be reached nothing runs, unless it is wrapped in `failOpen`.
   */
  readonly store: ClaimStore;
  /**
   * What becomes of an effect in doubt: its worker died, or its handler threw an error that does not say whether it was
   * applied. There is no default: only its author knows which mistake is worse.
   *
   * - `'retry'`: run it again. Right when the provider honours the effect key, or when twice is better than never.
   * - `'park'`: never twice. The claim waits for an operator's decision, and the message goes to the dead-letter queue.
   * - `reconcile({ ask, settleMs })`: ask the provider.
   */
  readonly onAbandoned: Policy<Input>;
  /**
   * How long a claim is exclusive, when not for the rest of the invocation: `renewedLease(10_000)`.
   * @default the invocation's remaining time, and on Lambda Managed Instances up to a minute beyond it while the handler runs; where there is none, a renewed lease of a minute, or of twice `timeoutMs` and `marginMs` if that is longer
   */
  readonly lease?: Lease;
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
   * After how many grants a key that keeps failing is parked. So is one that as many times, one after the other, had too little time left to start.
   * @default 20
   */
  readonly maxAttempts?: number;
  /**
   * How long after it was first seen a key that is not done may still be tried, in seconds.
   * @default 1209600, which is 14 days
   */
  readonly retryWindowSeconds?: number;
  /**
   * How many workers may end without an outcome before the key is parked, whatever the policy: the message kills them.
   * @default 3
   */
  readonly maxAbandoned?: number;
  /**
   * What the author knows about an error: `'retryable'` (nothing was applied), `'rejected'` (final), or `'unknown'`. A `LeaseError` is never
   * final, whatever this function returns: too little time was left, and the effect is still possible.
   * @default nothing is known of an error: `onAbandoned` decides
   */
  readonly classify?: (error: unknown) => Classification | undefined;
  /**
   * Says that all effects of the handler are inside `claim.effect(…)`. An error before it is then known to have applied nothing.
   * @default false
   */
  readonly marksEffect?: boolean;
  /**
   * Whether the handler's result is kept, as JSON, and given to duplicates.
   * @default true; false for consumers of SQS, where nothing reads it
   */
  readonly recordResult?: boolean;
  /**
   * The largest result that is kept, in bytes of JSON; at most 300,000.
   * @default 16384
   */
  readonly maxResultBytes?: number;
  /**
   * What is kept beside the key, from its first grant on: texts and numbers, at most 1,024 bytes of JSON. `operator(…).readClaim` has it.
   * Nothing is decided upon it.
   * @default nothing
   */
  readonly attributes?: (input: Input) => Attributes;
  /**
   * Whether the claim is in the operators' list of open claims while it is in flight. SQS delivers a message again after its worker died; a caller may
   * never call again, and its claim stays in flight. Costs one more write to the table's index when the claim is granted, and one when it ends.
   * @default true for `once`, `onceOverHttp` and `httpOnce`; false for consumers of SQS and for `sendOnce`
   */
  readonly watched?: boolean;
  /**
   * Whether a completed claim waits for the provider's own statement to confirm it: `reconcileStatements` of `pawl/statements` then finds the claims that
   * no statement has. Costs one more write to the table's index when the claim completes; the statement's line costs two more.
   * @default false
   */
  readonly statements?: boolean;
  /**
   * `hashed(secret)` keeps hashes in place of keys.
   * @default keys as they are
   */
  readonly hideKeys?: KeyHash;
  /**
   * Whether pawl decides what runs (`'enforce'`), or only watches beside the handler (`'observe'`): then each delivery runs as it would without pawl, and events
   * say what pawl would have done. `'environment'` reads the variable `PAWL_MODE`, at the start: `enforce`, `observe`, or the share of the keys to enforce, such as
   * `0.01`; not set, it is `enforce`. A function is called for each delivery, and returns the same.
   * @default 'enforce'
   */
  readonly mode?: Mode | 'environment' | (() => Mode | number);
  /**
   * The share of the keys that is enforced, from 0 to 1, while the others are observed. A key falls the same way in every function, and a larger share has all
   * keys of a smaller one.
   * @default 1, or 0 under mode: 'observe'
   */
  readonly enforce?: number;
  /**
   * Under `mode: 'observe'`, the longest that an invocation waits at its end until what it has seen is written down, in milliseconds. 0: it does not wait.
   * @default 25
   */
  readonly observeWaitMs?: number;
  /**
   * Hears of everything that happens to a claim. It must not throw; what it throws is ignored.
   * @default whatever is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * The clock, the random source and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

export const claimRows = claimOptions satisfies ExactRows<ClaimOptions<unknown>, typeof claimOptions>;

/** Options after defaults and validation: among them, the rules that claims are decided by. */
export interface Settings<Input>
  extends ClaimRules,
    Required<
      Omit<
        ClaimOptions<Input>,
        keyof ClaimRules | 'lease' | 'classify' | 'attributes' | 'mode' | 'enforce' | 'hideKeys'
      >
    >,
    Pick<ClaimOptions<Input>, 'lease' | 'classify' | 'attributes'> {
  /** The share of the keys that is enforced, as it is at a time; nothing if it is always all of them. */
  readonly enforcedShare: (() => number) | undefined;
  /** The provider to ask about an attempt in doubt, where that is the policy. */
  readonly provider: Reconcile<Input> | undefined;
  readonly settleMs: number;
  /** How long after a failure the provider's "not applied" would not be believed, in milliseconds. */
  readonly unsettledMs: number;
}

const defaults = { ...claimDefaults, onEvent: reportTheUnusual };

/**
 * Merges defaults, and checks everything at once.
 *
 * @param own the defaults of the door. An option that is given as `undefined` has its default
 * @throws OptionError, naming the option, what was expected and what was given
 */
export function settingsOf<Input>(options: ClaimOptions<Input> & { readonly host: Host }): Settings<Input>;
export function settingsOf<Input>(
  options: ClaimOptions<Input>,
  own: Partial<ClaimOptions<Input>> & { readonly host: Host },
): Settings<Input>;
export function settingsOf<Input>(
  options: ClaimOptions<Input>,
  own: Partial<ClaimOptions<Input>> = {},
): Settings<Input> {
  const o = { ...defaults, ...own } as Required<ClaimOptions<Input>> & { readonly retentionSeconds: number };
  expectKinds(claimRows, options);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) Object.assign(o, { [name]: value === 'forever' ? Infinity : value });
  }
  const { operation, store, onAbandoned: policy, lease, marginMs, timeoutMs, classify } = o;
  const { provider, onAbandoned } = policyOf('onAbandoned', policy);

  expectOperation(operation);
  expectNotReserved(operation);
  expectStore(store);
  if (lease !== undefined) {
    expectLease(lease);
    expectWhole('lease.leaseMs', lease.leaseMs);
    lease.check(marginMs + timeoutMs);
  }
  const settleMs = provider?.settleMs ?? 0;
  const saying = classify && { classify: sayingMistakes(classify, operation) };
  const share = enforcedShare(operation, o);
  return {
    ...o,
    ...saying,
    host: hiding(o.host, o.hideKeys, warnOfGap),
    enforcedShare: share,
    onAbandoned,
    provider,
    settleMs,
    unsettledMs: settleMs === 0 ? 0 : settleMs + o.skewMs,
  };
}

/** @throws OptionError unless `renewedLease` made it */
function expectLease(lease: Lease): void {
  const isLease = typeof lease?.check === 'function' && typeof lease.keep === 'function';
  const given: unknown = lease;
  const written = typeof given === 'number' && Number.isSafeInteger(given) ? given.toLocaleString('en-US') : '…';
  const expected = `renewedLease(${written.replaceAll(',', '_')}), which pawl exports, or no lease`;
  expect(isLease, 'lease', expected, given, 'wrong-lease');
}

const reservedOperations: readonly (readonly [string, string])[] = [
  ...Object.values(producersOperations).map((prefix) => [prefix, 'sendOnce'] as const),
  [executionsOperation, 'startOnce'],
];

/** @throws OptionError for an operation that only claims of pawl's own have: its own claims would be theirs, and a message would be taken for done */
function expectNotReserved(operation: string): void {
  const [reserved, by] = reservedOperations.find(([prefix]) => operation.startsWith(prefix)) ?? [];
  const expected = `a name that does not begin with '${reserved}': the claims of ${by} have such operations`;
  expect(reserved === undefined, 'operation', expected, operation);
}

/** @throws OptionError */
export function expectStore(store: ClaimStore | undefined): void {
  const given: unknown = store;
  const isOfLocks = typeof given === 'object' && given !== null && 'most' in given;
  const keeps = typeof store?.read === 'function' && typeof store.write === 'function' && !isOfLocks;
  const name = typeof given === 'string' ? `: ${JSON.stringify(given)}` : '';
  const expected = `a claim store, such as dynamoStore({ tableName${name} })`;
  expect(keeps, 'store', expected, isOfLocks ? 'a lock store' : given, 'wrong-store');
}

/** @throws OptionError unless it is a time that a record can be kept: a shorter one forgets outcomes while their messages still come */
export function expectRetention(seconds: number): void {
  if (seconds !== Infinity) expectInRange('retentionSeconds', claimRows.retentionSeconds, seconds);
}
