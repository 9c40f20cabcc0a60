import { type ClaimEvent, type LockFact, reportTheUnusual } from '../../engine/events.ts';
import { nodeHost } from '../../host.ts';
import { expect, expectFunction, expectWhole } from '../../kernel/check.ts';
import { claimDefaults } from '../../kernel/defaults.ts';
import { heard } from '../../kernel/heard.ts';
import type { Host } from '../../kernel/host.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import type { TransactAction } from '../../stores/dynamodb/marshall-action.ts';
import type { DynamoStore } from '../../stores/dynamodb/store.ts';
import { type InTable, tableOf } from '../../stores/dynamodb/table.ts';
import type { Progress, WorkName } from '../progress.ts';
import { reportLock } from '../report.ts';
import { beginAttempt, finishAttempt, type Running, type WritesFor } from './attempt.ts';
import { lookUpWork, type ProgressTable, segmentId } from './progress.ts';
import type { DynamoLockStore } from './store.ts';
import { processWorkNames, WorkNames } from './work-names.ts';

/**
 * The options of `forEachItem`.
 *
 * @example
 * const options: ForEachItemOptions<string> = {
 *   store: lockStore,
 *   id: claim.effectKey,
 *   work: 'repay',
 *   fence: lockStore.stillHeld(lock),
 *   signal: claim.signal,
 * };
 */
export interface ForEachItemOptions<T> {
  /** Where the progress is kept: in the table of a `dynamoStore`, or of a `dynamoLockStore`. */
  readonly store: DynamoStore | DynamoLockStore;
  /** The identity of the request, the same on every attempt: `claim.effectKey`. */
  readonly id: string;
  /**
   * What is done with the items, e.g. `'repay'`: 1 to 64 characters of ASCII, without spaces and `#`. Two works of one request over the
   * same items have two names, and the progress of each is its own.
   */
  readonly work: string;
  /**
   * Checked as an attempt begins, so that a stale worker cannot: `claimHeld(claim, tableName)` or `store.stillHeld(lock)`.
   * Once an attempt has begun, no earlier one commits anything.
   */
  readonly fence: TransactAction;
  /**
   * Checked with every chunk, where another holder may take over in the middle of it: `(debts) => store.stillLocked(lock, …)`.
   * @default nothing
   */
  readonly check?: (items: readonly T[]) => readonly TransactAction[];
  /**
   * How many items are committed together. A transaction has room for 100 actions, one of which is the progress.
   * @default 25
   */
  readonly chunk?: number;
  /**
   * How many chunks are under way at once, at most 64.
   * @default 4
   */
  readonly concurrency?: number;
  /**
   * No chunk is begun after it was aborted: `claim.signal` or `lock.signal`.
   * @default none
   */
  readonly signal?: AbortSignal;
  /**
   * How long progress is remembered after an attempt began, in seconds: longer than the message can come again.
   * @default 2592000, which is 30 days
   */
  readonly retentionSeconds?: number;
  /**
   * What happens to the work: an attempt goes on with it, or leaves it before it is done. It gets ids and counts, under the name of the work. What it throws is
   * ignored.
   * @default one line of JSON to `console.warn` when a work is interrupted
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * The clock, the random source and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
  /**
   * The names in use. Only simulations set it.
   * @default those of this process; with a `host` of your own, none
   */
  readonly names?: WorkNames;
}

const docs = 'docs/guides/locks.md';
const known = {
  store: true,
  id: true,
  work: true,
  fence: true,
  check: true,
  chunk: true,
  concurrency: true,
  signal: true,
  retentionSeconds: true,
  onEvent: true,
  host: true,
  names: true,
} as const satisfies NamesOf<ForEachItemOptions<unknown>>;

/** Every item is done, by this attempt and those before it. */
export interface ForEachItemResult extends Progress {
  readonly outcome: 'done';
}

/**
 * Work larger than a transaction, each item once. Items are done in chunks, and each chunk's writes are committed together with
 * the progress, in one transaction. What an attempt leaves undone, because it was killed or stopped, the next one does.
 *
 * The items must be the same ones in the same order on every attempt. What `writesFor` does besides returning writes may be
 * repeated.
 *
 * @param writesFor returns the writes for a chunk, as `TransactWriteCommand` takes them. None are needed for an item that is done
 *   already
 * @throws WorkUnfinishedError when `signal` was aborted before all was done, or the attempt is stale: let it through, and the next
 *   attempt goes on. WorkChangedError when the items are not those of before; ChunkRefusedError when a write's own condition
 *   failed; OptionError when a name is used twice in one attempt; what `writesFor` throws. Chunks under way are awaited first
 * @example
 * await forEachItem(
 *   payment.debts,
 *   { store: lockStore, id: claim.effectKey, work: 'repay', fence: lockStore.stillHeld(lock), signal: lock.signal },
 *   (debts) => debts.map((id) => ({ Put: { TableName: 'repayments', Item: { id, payment: payment.id } } })),
 * );
 */
export function forEachItem<T>(
  items: readonly T[],
  options: ForEachItemOptions<T>,
  writesFor: WritesFor<T>,
): Promise<ForEachItemResult> {
  return heard('forEachItem', attemptAll(items, options, writesFor));
}

async function attemptAll<T>(
  items: readonly T[],
  options: ForEachItemOptions<T>,
  writesFor: WritesFor<T>,
): Promise<ForEachItemResult> {
  expectOptions(options, { door: 'forEachItem', known, docs });
  const { id, work, fence, host = nodeHost } = options;
  // What one simulated world has in use is free in the next one, which may have the same requests and the same fences.
  const { names = host === nodeHost ? processWorkNames : new WorkNames() } = options;
  const {
    check = () => [],
    chunk = 25,
    concurrency = 4,
    retentionSeconds = claimDefaults.retentionSeconds,
    onEvent = reportTheUnusual,
    signal,
  } = options;
  expect(
    typeof id === 'string' && id !== '' && id.isWellFormed(),
    'id',
    'a well-formed text that is not empty',
    typeof id,
  );
  expectName(work);
  expect(Array.isArray(items), 'items', 'a list of the items', items);
  expectFunction(
    'the function of forEachItem',
    'a function from items to their writes, after the options',
    writesFor,
    'wrong-handler',
  );
  expect(fence?.ConditionCheck, 'fence', 'a ConditionCheck', fence);
  for (const [name, value] of Object.entries({ chunk, concurrency, retentionSeconds })) {
    expectWhole(name, value);
    expect(value > 0, name, 'at least 1', value);
  }
  expectFunction('onEvent', 'a function', onEvent);
  const table = progressTable(options.store, host);
  const report = (fact: LockFact) =>
    reportLock({ operation: work, onEvent, host }, segmentId({ id, work }, 0, host), fact);
  const giveBack = names.take(table.tableName, { id, work }, fence);
  let running: Running<T> | undefined;
  try {
    const expiresAt = Math.ceil(host.now() / 1000) + retentionSeconds;
    const begun = await beginAttempt(items, table, { id, work }, fence, expiresAt);
    running = { ...begun, items, check, chunk, writesFor, signal };
    const { done, total } = begun;
    if (done > 0 && done < total) report({ type: 'work-resumed', done, total });
    return { outcome: 'done', ...(await finishAttempt(running, concurrency)) };
  } catch (error) {
    giveBack();
    if (running) report({ type: 'work-interrupted', done: running.done, total: running.total });
    throw error;
  }
}

/**
 * How far a work has come, or `undefined` when it was not begun.
 *
 * @throws OptionError when an option is wrong; DynamoDB's error
 * @example
 * const progress = await readProgress({ store, id: 'repay#request-17', work: 'repay' });
 * if (progress) console.log(`${progress.done} of ${progress.total}`);
 */
export function readProgress(
  options: WorkName & Pick<ForEachItemOptions<never>, 'store'>,
): Promise<Progress | undefined> {
  return heard('readProgress', lookUp(options));
}

async function lookUp(options: Parameters<typeof readProgress>[0]): Promise<Progress | undefined> {
  // Of a work, the options of `forEachItem` name it just as well.
  expectOptions(options, { door: 'readProgress', known, docs });
  expectName(options.work);
  return lookUpWork(progressTable(options.store, nodeHost), options);
}

/** @throws OptionError: with a `#`, the names of two works could come to the same item */
function expectName(work: string): void {
  const isName = typeof work === 'string' && /^[!"$-~]{1,64}$/.test(work);
  expect(isName, 'work', '1 to 64 characters of ASCII, without spaces and #', work);
}

/** @throws OptionError when the store has no table, or its name is missing */
function progressTable(store: InTable, host: Host): ProgressTable {
  const { nameOfTable, aws } = tableOf('store', store, 'dynamoStore({ tableName }), or dynamoLockStore(…)');
  return { tableName: nameOfTable(), transport: aws.dynamodb, host };
}
