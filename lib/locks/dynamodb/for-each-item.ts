import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, expectWhole } from '../../core/check.ts';
import { canonicalValue, fingerprintOf } from '../../core/fingerprint.ts';
import type { Host } from '../../core/host.ts';
import { nodeHost } from '../../host.ts';
import { type TableOptions, tableOf } from '../../stores/dynamodb/options.ts';
import { type Progress, progressOf, type Segment, segmentsOf } from '../segment.ts';
import { mostActions, progressItems } from './progress.ts';
import type { TransactAction } from './store.ts';

export interface ForEachItemOptions<T> extends TableOptions {
  /** The identity of the work, the same on every attempt: `claim.effectKey`. */
  readonly id: string;
  /**
   * Looked at as an attempt begins, so that a stale worker cannot: `claimHeld(claim, tableName)` or `store.stillHeld(lock)`.
   * Once an attempt has begun, no earlier one commits anything.
   */
  readonly fence: TransactAction;
  /**
   * Looked at with every chunk, where another holder may take over in the middle of it: `(debts) => store.stillLocked(lock, …)`.
   * @default nothing
   */
  readonly check?: (items: readonly T[]) => readonly TransactAction[];
  /**
   * How many items are committed together. A transaction has room for 100 actions, one of which is the progress.
   * @default 25
   */
  readonly chunk?: number;
  /** How many chunks are under way at once, at most 64. @default 4 */
  readonly concurrency?: number;
  /** No chunk is begun after it was aborted: `claim.signal` or `lock.signal`. */
  readonly signal?: AbortSignal;
  /**
   * How long progress is remembered after an attempt began, in seconds: longer than the message can come again.
   * @default 2592000, which is 30 days
   */
  readonly retentionSeconds?: number;
  /** A document client of your own. It takes the place of `client`. */
  readonly documents?: DynamoDBDocumentClient;
  /** The clock, the random source and the timers. Only simulations set it. */
  readonly host?: Host;
}

/**
 * How far the work has come. `done`: every item. `stopped`: `signal` was aborted; the next attempt goes on. `stale`: this
 * worker is not the one to do it any more.
 */
export interface ForEachItemAnswer extends Progress {
  readonly outcome: 'done' | 'stopped' | 'stale';
}

/**
 * Work larger than a transaction, each item once. Items are done in chunks, and each chunk's writes are committed together with
 * the progress, in one transaction. What an attempt did not get to, because it was killed or stopped, the next one does.
 *
 * The items must be the same ones in the same order on every attempt. What `writesFor` does besides returning writes may be
 * repeated.
 *
 * @param writesFor answers the writes for a chunk, as `TransactWriteCommand` takes them. None are needed for an item that is done
 *   already
 * @throws WorkChangedError when the items are others than before; ChunkRefusedError when a write's own condition failed; what
 *   `writesFor` throws. Chunks under way are awaited first
 * @example
 * const { outcome, done } = await forEachItem(
 *   debts,
 *   { id: claim.effectKey, fence: store.stillHeld(lock), tableName, signal: claim.signal },
 *   (chunk) => chunk.map((debt) => ({ Update: repaid(debt) })),
 * );
 */
export async function forEachItem<T>(
  items: readonly T[],
  options: ForEachItemOptions<T>,
  writesFor: (chunk: readonly T[], from: number) => Promise<readonly TransactAction[]> | readonly TransactAction[],
): Promise<ForEachItemAnswer> {
  const { id, fence, check = () => [], signal, host = nodeHost } = options;
  const { chunk = 25, concurrency = 4, retentionSeconds = 30 * 24 * 3600 } = options;
  expect(typeof id === 'string' && id !== '', 'id', 'a text that is not empty', id);
  expect(fence?.ConditionCheck, 'fence', 'a ConditionCheck', fence);
  for (const [name, value] of Object.entries({ chunk, concurrency, retentionSeconds })) {
    expectWhole(name, value);
    expect(value > 0, name, 'at least 1', value);
  }
  const total = items.length;
  if (total === 0) return { outcome: 'done', total, done: 0 };

  const progress = progressItems({ ...documentsOf(options), host }, id);
  const segments = segmentsOf(total);
  const attempt = host.randomId();
  const expiresAt = Math.ceil(host.now() / 1000) + retentionSeconds;
  const fingerprints = segments.map(({ from, to }) => fingerprintOf(canonicalValue(items.slice(from, to)), host));
  const begun = await progress.begin(total, fingerprints, attempt, fence, expiresAt);
  // After it has begun: until then an earlier attempt may have moved on.
  const found = await progress.read(total);
  let { done } = progressOf(total, found);
  let isStale = begun === 'stale';
  const failures: unknown[] = [];

  const waiting = segments
    .map((segment) => ({ segment, next: found[segment.index]?.next ?? segment.from }))
    .filter(({ segment, next }) => next < segment.to);
  const lanes = Array.from({ length: Math.min(concurrency, waiting.length) }, lane);
  await Promise.all(lanes);
  if (failures.length > 0) throw failures[0];
  return { outcome: isStale ? 'stale' : done === total ? 'done' : 'stopped', total, done };

  /** Does one segment after the other, until there is none left or a reason to stop. */
  async function lane(): Promise<void> {
    try {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await doSegment(one.segment, one.next);
    } catch (error) {
      failures.push(error);
    }
  }

  async function doSegment(segment: Segment, start: number): Promise<void> {
    for (let from = start; from < segment.to; ) {
      if (isStale || signal?.aborted || failures.length > 0) return;
      const next = Math.min(from + chunk, segment.to);
      const part = items.slice(from, next);
      const writes = await writesFor(part, from);
      const checks = check(part);
      const actions = 1 + checks.length + writes.length;
      expect(
        actions <= mostActions,
        'chunk',
        `one that makes at most ${mostActions} actions with its progress`,
        actions,
      );
      if ((await progress.move(segment, attempt, from, next, checks, writes)) === 'stale') isStale = true;
      else done += next - from;
      from = next;
    }
  }
}

/**
 * How far a work has come, or nothing when it was not begun.
 *
 * @example
 * const progress = await readProgress({ tableName, id: 'repay#request-17' }); // { total: 20000, done: 8425 }
 */
export async function readProgress(
  options: TableOptions & { readonly id: string; readonly documents?: DynamoDBDocumentClient },
): Promise<Progress | undefined> {
  const progress = progressItems({ ...documentsOf(options), host: nodeHost }, options.id);
  // Every work has a first segment, and that knows how many there are.
  const [first] = await progress.read(1);
  return first && progressOf(first.total, await progress.read(first.total));
}

function documentsOf(options: TableOptions & { readonly documents?: DynamoDBDocumentClient }) {
  const { TableName, client } = tableOf(options);
  return { tableName: TableName, documents: options.documents ?? DynamoDBDocumentClient.from(client) };
}
