import type { ClaimEvent } from '../engine/events.ts';
import { reportTheUnusual } from '../engine/events.ts';
import { expectRetention, expectStore } from '../engine/options.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction, expectWhole } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { pageAt } from '../kernel/error-code.ts';
import { OptionError } from '../kernel/errors.ts';
import { granted } from '../kernel/granted.ts';
import type { Host } from '../kernel/host.ts';
import { type HidingHost, hiding, type KeyHash } from '../kernel/key-hash.ts';
import { expectOptions } from '../kernel/take-options.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import { expectOperation } from '../rules/identity.ts';
import { type KeepsNotes, keepsNotes } from '../rules/notes.ts';
import { type ListsOpenClaims, listsOpenClaims } from '../rules/open-claims.ts';
import { type KnowsRestore, knowsRestore } from '../rules/restored.ts';
import type { ClaimStore } from '../rules/store.ts';
import { withListing } from '../stores/listing.ts';
import { type OpenDifferences, openDifferences } from './corrected.ts';
import type { StatementLine } from './line.ts';

/** Which part of its list the provider is asked for. Times are epoch milliseconds. */
export interface StatementWindow {
  readonly from: number;
  readonly cutOff: number;
  /** The `cursor` of the last line that is done: return the lines behind it. `undefined`: return them all. */
  readonly after: string | undefined;
}

/** The provider's own list of one window, in an order that is the same each time. */
export type Statement = (window: StatementWindow) => AsyncIterable<StatementLine> | Iterable<StatementLine>;

/** What a run has done until now. */
export interface StatementProgress {
  readonly phase: 'lines' | 'claims' | 'done';
  readonly lines: number;
}

/**
 * The options of `reconcileStatements`.
 *
 * @example
 * const options: ReconcileStatementsOptions = {
 *   operation: 'charge-order',
 *   store,
 *   statement: () => [{ effectKey: 'charge-order#order-17', at: Date.parse('2026-11-22T12:00:00Z') }],
 *   from: Date.parse('2026-11-22T00:00:00Z'),
 *   settleMs: 3_600_000,
 * };
 */
export interface ReconcileStatementsOptions {
  /** The operation of the consumer whose effects the statement has. */
  readonly operation: string;
  /** The store of the consumer: `dynamoStore({ tableName })`. It must keep notes; `failOpen` does not. */
  readonly store: ClaimStore & Partial<KeepsNotes>;
  /** Returns the provider's own list. It is called once for each attempt. */
  readonly statement: Statement;
  /** The begin of the window, in epoch milliseconds. Windows that touch or overlap leave no gap. */
  readonly from: number;
  /**
   * The end of the window, in epoch milliseconds: at least `settleMs` and `skewMs` ago.
   * @default `settleMs` and `skewMs` ago
   */
  readonly cutOff?: number | undefined;
  /**
   * How long after an effect its line may still come, in milliseconds. Absence decides nothing earlier.
   */
  readonly settleMs: number;
  /**
   * By how much two numbers of one name may differ, such as `{ amountCents: 1 }`.
   * @default they must be equal
   */
  readonly tolerance?: Readonly<Record<string, number>>;
  /**
   * How far the clocks of the workers and of the provider may be apart, in milliseconds.
   * @default 1000
   */
  readonly skewMs?: number;
  /**
   * How long a claim that a line completes is remembered, in seconds: no less than the consumer remembers.
   * @default 'forever', because a claim does not say how long its consumer remembers
   */
  readonly retentionSeconds?: number | 'forever';
  /**
   * How many findings one run stores, at most: 1 to 10,000. More are counted.
   * @default 1000
   */
  readonly mostFindings?: number;
  /**
   * How the keys are hidden, as the consumer hides them: `hashed(secret)`. Lines with a `key` need it, and no finding keeps that key.
   * @default keys are as they are
   */
  readonly hideKeys?: KeyHash;
  /**
   * What a run does about a table that was restored: its store has `restored: restoredTable`. See docs/guides/restore.md.
   *
   * - `'complete'`: a line completes its claim, also one that the table has forgotten.
   * - `'release'`: besides, keys that are in doubt because of the restore, and that the statement does not have, are released. It needs a window from
   *   before the cut-off of the restore until after the table was reopened.
   * - `'lift'`: besides, the mark is lifted for this operation.
   *
   * `'release'` and `'lift'` say that each effect of this operation has a line with its claim's own key: not for handlers with steps or commits.
   * @default 'complete'
   */
  readonly restored?: 'complete' | 'release' | 'lift';
  /**
   * No part is begun after it was aborted: the next call goes on.
   * @default none
   */
  readonly signal?: AbortSignal;
  /**
   * Hears of every part that is done. What it throws is ignored.
   * @default none
   */
  readonly onProgress?: (progress: StatementProgress) => void;
  /**
   * Hears of the end of a run, once: `statement-clean` or `statement-findings`. Also of each claim that a line completes.
   * @default what is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * The clock, the random source and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

export const docs = 'docs/guides/statements.md';

/** What a role needs that compares statements, or looks at what they have found. */
const statementsGrant = 'claimsTable.grantStatements(role)';

const known = {
  operation: true,
  store: true,
  statement: true,
  from: true,
  cutOff: true,
  settleMs: true,
  tolerance: true,
  skewMs: true,
  retentionSeconds: true,
  mostFindings: true,
  hideKeys: true,
  restored: true,
  signal: true,
  onProgress: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<ReconcileStatementsOptions>;

/** The options of a run, checked and with their defaults. */
export interface StatementSettings
  extends Required<
      Omit<ReconcileStatementsOptions, 'store' | 'cutOff' | 'signal' | 'onProgress' | 'retentionSeconds' | 'hideKeys'>
    >,
    Pick<ReconcileStatementsOptions, 'cutOff' | 'signal' | 'onProgress'> {
  readonly store: ClaimStore & KeepsNotes;
  readonly retentionSeconds: number;
  /** Under which the keys of lines are hidden. */
  readonly hidingHost: HidingHost;
  /** The mark of the store's table, if it is known to be restored. */
  readonly restore: (KnowsRestore & ListsOpenClaims) | undefined;
  /** Ids of the findings that this attempt has stored: at its end, the index may not list them yet. At most `mostFindings`. */
  readonly justStored: Set<string>;
  /** The differences that were open when this attempt first asked. */
  readonly differing: () => Promise<OpenDifferences>;
}

/** @throws OptionError */
export function settingsOf(options: ReconcileStatementsOptions): StatementSettings {
  expectOptions(options, { door: 'reconcileStatements', known, docs });
  const {
    operation,
    store: given,
    statement,
    from,
    cutOff,
    settleMs,
    tolerance = {},
    skewMs = claimDefaults.skewMs,
  } = options;
  const {
    mostFindings = 1000,
    restored = 'complete',
    signal,
    onProgress,
    onEvent = reportTheUnusual,
    host = nodeHost,
  } = options;
  const { retentionSeconds: retention = 'forever' } = options;
  const retentionSeconds = retention === 'forever' ? Infinity : retention;
  expectOperation(operation);
  const store = withNotes(given);
  expect(typeof statement === 'function', 'statement', 'a function that returns the lines of a window', statement);
  for (const [name, value] of Object.entries({ from, settleMs, skewMs, mostFindings })) expectWhole(name, value);
  for (const [name, value] of Object.entries(tolerance)) {
    expect(Number.isFinite(value) && value >= 0, `tolerance.${name}`, 'a number, 0 or more', value);
  }
  expect(mostFindings >= 1 && mostFindings <= 10_000, 'mostFindings', '1 to 10000', mostFindings);
  for (const [name, fn] of Object.entries({ onProgress, onEvent })) {
    if (fn !== undefined) expectFunction(name, 'a function', fn, 'wrong-handler');
  }
  expectRetention(retentionSeconds);
  const latest = host.now() - settleMs - skewMs;
  if (cutOff !== undefined) {
    expectWhole('cutOff', cutOff);
    expect(cutOff <= latest, 'cutOff', 'a time at least settleMs and skewMs ago', cutOff);
  }
  expect(from <= (cutOff ?? latest), 'from', 'a time before the cut-off', from);
  return {
    ...{
      operation,
      store,
      statement,
      from,
      cutOff,
      settleMs,
      tolerance,
      skewMs,
      retentionSeconds,
      mostFindings,
    },
    hidingHost: hiding(host, options.hideKeys),
    ...{ onEvent, host, restored, restore: restoreIn(store, restored), justStored: new Set<string>() },
    differing: openDifferences({ store, operation }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  };
}

/** @throws OptionError if a run is to decide what the store cannot say */
function restoreIn(
  store: ClaimStore,
  restored: StatementSettings['restored'],
): (KnowsRestore & ListsOpenClaims) | undefined {
  const known = knowsRestore(store) && listsOpenClaims(store) ? store : undefined;
  const modes: readonly string[] = ['complete', 'release', 'lift'] satisfies (typeof restored)[];
  expect(modes.includes(restored), 'restored', "'complete', 'release' or 'lift'", restored);
  if (known !== undefined || restored === 'complete') return known;
  throw new OptionError(
    `restored: '${restored}' needs a store of a table that is marked as restored: dynamoStore({ tableName, restored: restoredTable }). See ${pageAt('docs/guides/restore.md')}.`,
  );
}

/** The store with its notes, for a role with the grant of statements. @throws OptionError unless it is a claim store that keeps notes */
export function withNotes(store: ClaimStore): ClaimStore & KeepsNotes {
  expectStore(store);
  const listed = withListing(store);
  if (keepsNotes(listed)) return granted(listed, statementsGrant);
  throw new OptionError(
    `store: expected one that keeps notes, such as dynamoStore, and not in failOpen; it has no readNote. See ${pageAt(docs)}.`,
  );
}
