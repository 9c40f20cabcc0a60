import type { ClaimEvent } from '../engine/events.ts';
import { expectStore } from '../engine/options.ts';
import { policyOf } from '../engine/policy.ts';
import type { Reconcile } from '../engine/reconcile.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction, expectWhole } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { pageAt } from '../kernel/error-code.ts';
import { OptionError } from '../kernel/errors.ts';
import { granted } from '../kernel/granted.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { propertyOf } from '../kernel/unknown.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation } from '../rules/identity.ts';
import { type ListsOpenClaims, listsOpenClaims } from '../rules/open-claims.ts';
import type { ClaimStore } from '../rules/store.ts';
import { withListing } from '../stores/listing.ts';
import type { SweepReport, SweptClaim } from './report.ts';

/** What the sweep does about the claims of an operation. */
export interface SweptOperation {
  /**
   * What becomes of a claim in doubt that no message or caller comes for.
   *
   * - `'park'`: it waits for an operator.
   * - `reconcile({ ask, settleMs })`: ask the provider. It is not asked before `settleMs` have passed. There is no input: no claim keeps its payload.
   *
   * `'retry'` is refused: a sweep has no handler that it could run.
   */
  readonly onAbandoned: 'park' | Reconcile<undefined>;
  /**
   * How many inconclusive verdicts and lost workers park the claim.
   * @default 6
   */
  readonly maxAbandoned?: number;
  /**
   * Whether `result` of the verdict is kept, for duplicates.
   * @default true
   */
  readonly recordResult?: boolean;
  /**
   * How long the outcome is remembered, in seconds: no less than the consumer remembers.
   * @default 'forever', because a claim does not say how long its consumer remembers
   */
  readonly retentionSeconds?: number | 'forever';
}

/** What the sweep does about the claims that wait for the ends of executions. `waitingExecutions` of `pawl/workflows` makes it. */
export interface SweptExecutions {
  readonly kind: 'executions';
  /** Looks at the execution of a claim. @param until epoch milliseconds @throws the store's error, or the target's */
  readonly settle: (id: string, until: number) => Promise<SweptClaim>;
}

/** What lists kept locks: a `LockOperator` of `pawl/locks`. */
interface ListsKeptLocks {
  /** In pages; `since` is in epoch milliseconds. */
  list(query: { readonly status: 'kept' }): AsyncIterable<readonly { readonly since: number }[]>;
}

/**
 * The options of `sweepOpenClaims`.
 *
 * @example
 * const options: SweepOptions = {
 *   store,
 *   operations: { 'send-email': { onAbandoned: 'park' } },
 *   askTimeoutMs: 5000,
 *   onReport: (report) => console.log(JSON.stringify(report)),
 * };
 */
export interface SweepOptions {
  /** The store of the consumers. It must list open claims, as `dynamoStore` does. */
  readonly store: ClaimStore & Partial<ListsOpenClaims>;
  /** What to do, by the name of the operation. The claims of every other operation are left alone, and counted. */
  readonly operations: Readonly<Record<string, SweptOperation | SweptExecutions>>;
  /**
   * The locks of the table: `lockOperator({ store: dynamoLockStore(store) })` of `pawl/locks`. The report then has the age of the oldest kept one.
   * @default none is looked at
   */
  readonly locks?: ListsKeptLocks;
  /**
   * How many providers are asked at once: 1 to 100.
   * @default 10
   */
  readonly concurrency?: number;
  /**
   * After how many claims a run ends. The next one goes on behind them.
   * @default 1000
   */
  readonly maxClaims?: number;
  /**
   * How long a provider may take to say its verdict, in milliseconds. The claim is held for so long, and for a second more.
   * @default 10000
   */
  readonly askTimeoutMs?: number;
  /**
   * How long after an inconclusive verdict the provider is asked again, in milliseconds. Each further one doubles it, and so does each worker that was lost.
   * @default 300000, which is 5 minutes
   */
  readonly askAgainMs?: number;
  /**
   * How far the clocks of two workers may be apart, in milliseconds. Set what the consumers set.
   * @default 1000
   */
  readonly skewMs?: number;
  /**
   * Hears of everything that happens to a claim. What it throws is ignored.
   * @default whatever is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * Is called with the report of each run. What it throws is ignored.
   * @default one line in Embedded Metric Format, from which CloudWatch makes the metrics of `OpenClaimsSweep`
   */
  readonly onReport?: (report: SweepReport) => void;
  /**
   * Time, chance and identity. Only tests and simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

const docs = 'docs/guides/sweep.md';

const known = {
  store: true,
  operations: true,
  locks: true,
  concurrency: true,
  maxClaims: true,
  askTimeoutMs: true,
  askAgainMs: true,
  skewMs: true,
  onEvent: true,
  onReport: true,
  host: true,
} as const satisfies NamesOf<SweepOptions>;
const knownOfSwept = {
  onAbandoned: true,
  maxAbandoned: true,
  recordResult: true,
  retentionSeconds: true,
} as const satisfies NamesOf<SweptOperation>;

/** Options after defaults and validation. */
export interface SweepSettings extends Required<Omit<SweepOptions, 'store' | 'locks' | 'onEvent' | 'onReport'>> {
  readonly store: ClaimStore & ListsOpenClaims;
  readonly locks: ListsKeptLocks | undefined;
  readonly onEvent: SweepOptions['onEvent'];
  readonly onReport: SweepOptions['onReport'];
}

/** @throws OptionError */
export function sweepSettings(options: SweepOptions): SweepSettings {
  expectOptions(options, { door: 'sweepOpenClaims', known, docs });
  const { store, operations, locks, onEvent, onReport, host = nodeHost } = options;
  const {
    concurrency = 10,
    maxClaims = 1000,
    askTimeoutMs = 10_000,
    askAgainMs = 300_000,
    skewMs = claimDefaults.skewMs,
  } = options;
  expectStore(store);
  const listed = withListing(store);
  if (!listsOpenClaims(listed)) {
    throw new OptionError(
      `store: expected one that lists open claims, such as dynamoStore; it has no listOpen. See ${pageAt(docs)}.`,
    );
  }
  const lists = locks === undefined || typeof propertyOf(locks, 'list') === 'function';
  expect(lists, 'locks', 'lockOperator({ store: dynamoLockStore(store) }), or nothing', locks);
  expect(
    typeof operations === 'object' && operations !== null,
    'operations',
    'an object from the name of an operation to { onAbandoned }',
    operations,
  );
  for (const [operation, swept] of Object.entries(operations)) expectSwept(operation, swept);
  for (const [name, value] of Object.entries({ askTimeoutMs, askAgainMs, skewMs })) expectWhole(name, value);
  expect(askTimeoutMs >= 1, 'askTimeoutMs', 'at least 1', askTimeoutMs);
  const fits = Number.isSafeInteger(concurrency) && concurrency >= 1 && concurrency <= 100;
  expect(fits, 'concurrency', 'a whole number, 1 to 100', concurrency);
  expect(Number.isSafeInteger(maxClaims) && maxClaims >= 1, 'maxClaims', 'a whole number, 1 or more', maxClaims);
  for (const [name, fn] of Object.entries({ onEvent, onReport })) {
    if (fn !== undefined) expectFunction(name, 'a function', fn, 'wrong-handler');
  }
  return {
    store: granted(listed, 'claimsTable.grantOperate(role)'),
    operations,
    locks,
    concurrency,
    maxClaims,
    askTimeoutMs,
    askAgainMs,
    skewMs,
    onEvent,
    onReport,
    host,
  };
}

/** Whether the claims of an operation wait for executions. */
export function areExecutions(swept: SweptOperation | SweptExecutions): swept is SweptExecutions {
  return 'kind' in swept && swept.kind === 'executions';
}

function expectSwept(operation: string, swept: SweptOperation | SweptExecutions): void {
  expectOperation(operation);
  if (typeof swept === 'object' && swept !== null && areExecutions(swept)) return;
  const within = `operations.${operation}`;
  expectOptions(swept, { door: 'sweepOpenClaims', within, known: knownOfSwept, docs });
  policyOf(`${within}.onAbandoned`, swept.onAbandoned, ['park', 'reconcile']);
}
