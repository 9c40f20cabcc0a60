import { expect } from '../../kernel/check.ts';
import { canonicalValue, fingerprintOf } from '../../payload/fingerprint.ts';
import type { TransactAction } from '../../stores/dynamodb/marshall-action.ts';
import { WorkUnfinishedError } from '../errors.ts';
import { type Progress, progressOf, type Segment, segmentsOf, type WorkName } from '../progress.ts';
import { beginWork, mostActions, moveOn, type ProgressTable, readSegments, segmentId } from './progress.ts';

/*
 * One attempt at a work larger than a transaction: it begins, and does in lanes what earlier attempts have left. It owns the order of these; it does
 * not own options (`for-each-item.ts`), requests (`progress.ts`), or the policy (`../progress.ts`).
 */

/**
 * Returns the writes for a chunk. `from` is the index of its first item.
 *
 * @example
 * const writesFor: WritesFor<string> = (debts) =>
 *   debts.map((id) => ({ Put: { TableName: 'repayments', Item: { id, payment: payment.id } } }));
 */
export type WritesFor<T> = (
  chunk: readonly T[],
  from: number,
) => Promise<readonly TransactAction[]> | readonly TransactAction[];

/** An attempt that has begun: where it is, and what it has come to. */
interface Begun {
  readonly table: ProgressTable;
  readonly name: WorkName;
  readonly attempt: string;
  readonly total: number;
  /** The segments that no lane has begun, and where they go on. */
  readonly waiting: { readonly segment: Segment; readonly next: number }[];
  done: number;
  isStale: boolean;
  readonly failures: unknown[];
}

/** An attempt that has begun, and what its caller wants done. */
export interface Running<T> extends Begun {
  readonly items: readonly T[];
  readonly check: (items: readonly T[]) => readonly TransactAction[];
  readonly chunk: number;
  readonly writesFor: WritesFor<T>;
  readonly signal: AbortSignal | undefined;
}

/** @throws WorkUnfinishedError when the fence is refused; WorkChangedError */
export async function beginAttempt(
  items: readonly unknown[],
  table: ProgressTable,
  name: WorkName,
  fence: TransactAction,
  expiresAt: number,
): Promise<Begun> {
  const { host } = table;
  const total = items.length;
  const segments = segmentsOf(total);
  const attempt = host.randomId();
  const fingerprints = segments.map(({ from, to }) => fingerprintOf(canonicalValue(items.slice(from, to)), host));
  const wanted = { work: name.work, attempt, total, fingerprints, expiresAt };
  const begun = await beginWork(table, name, wanted, fence);
  // After it has begun: until then an earlier attempt may have moved on.
  const found = await readSegments(table, name, total);
  const { done } = progressOf(total, found);
  if (begun === 'stale') throw new WorkUnfinishedError('stale', { total, done });
  const waiting = segments
    .map((segment) => ({ segment, next: found[segment.index]?.next ?? segment.from }))
    .filter(({ segment, next }) => next < segment.to);
  return { table, name, attempt, total, waiting, done, isStale: false, failures: [] };
}

/**
 * Does what is left, in so many lanes at once.
 *
 * @throws WorkUnfinishedError when something is left; what a lane threw
 */
export async function finishAttempt<T>(running: Running<T>, concurrency: number): Promise<Progress> {
  const { total, waiting, failures } = running;
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, () => lane(running)));
  if (failures.length > 0) throw failures[0];
  const { done, isStale } = running;
  if (isStale) throw new WorkUnfinishedError('stale', { total, done });
  if (done < total) throw new WorkUnfinishedError('stopped', { total, done });
  return { total, done };
}

/** Does one segment after the other, until there is none left or a reason to stop. Never rejects: the other lanes are awaited first. */
async function lane<T>(running: Running<T>): Promise<void> {
  const { waiting, failures } = running;
  try {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      await doSegment(running, one.segment, one.next);
    }
  } catch (error) {
    failures.push(error);
  }
}

async function doSegment<T>(running: Running<T>, segment: Segment, start: number): Promise<void> {
  for (let from = start; from < segment.to; from += running.chunk) {
    if (running.isStale || running.signal?.aborted || running.failures.length > 0) return;
    await doChunk(running, segment, from);
  }
}

/** One chunk, in one transaction with the progress. */
async function doChunk<T>(running: Running<T>, segment: Segment, from: number): Promise<void> {
  const { table, name, attempt, items, check, chunk, writesFor } = running;
  const to = Math.min(from + chunk, segment.to);
  const part = items.slice(from, to);
  const writes = await writesFor(part, from);
  const checks = check(part);
  const actions = 1 + checks.length + writes.length;
  const expected = `one that makes at most ${mostActions} actions with its progress`;
  expect(actions <= mostActions, 'chunk', expected, actions);
  const id = segmentId(name, segment.index, table.host);
  const moved = await moveOn(table, id, { attempt, from, to }, checks, writes);
  if (moved === 'stale') running.isStale = true;
  else running.done += to - from;
}
