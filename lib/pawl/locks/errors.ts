import { explained } from '../kernel/error-code.ts';
import { RetryableError } from '../kernel/errors.ts';
import type { LockedResource } from './locked-resource.ts';
import type { WorkName } from './progress.ts';
import type { Resource } from './resource.ts';

/**
 * Other holders have some of the resources, and `waitMs` is over. The work was not begun. Let it through, before the handler has
 * applied anything: the claim is released, and the message comes again when the locks in the way can have ended.
 *
 * @example
 * await locks.lockAll([['customer', payment.customer]], { holder: claim.effectKey }).catch((error) => {
 *   if (error instanceof ResourcesBusyError) console.warn(`in use: ${error.by.map(({ reason }) => reason)}`);
 *   throw error;
 * });
 */
export class ResourcesBusyError extends RetryableError {
  override readonly name = 'ResourcesBusyError';
  /** Which of the resources are locked, and by whom. Empty when no holder in particular was in the way. */
  readonly by: readonly LockedResource[];
  constructor(by: readonly LockedResource[], retryAfterMs: number) {
    // No holder and no resource: what an error says goes to logs, and these identify people.
    const why =
      by.length > 0 ? 'resources of it are locked; `by` says by whom' : 'it took too long to lock its resources';
    super(explained(`the work was not begun: ${why}`, 'resources-busy'), {
      retryAfterMs: retryAfterMs > 0 ? retryAfterMs : undefined,
    });
    this.by = by;
  }
}

/**
 * An attempt at a work has ended, and items of it are not done. Let it through: the claim is released, the message comes again, and
 * the next attempt goes on. What is done is counted, and not repeated.
 *
 * @example
 * declare const repay: () => Promise<ForEachItemResult>; // calls `forEachItem`
 * await repay().catch((error) => {
 *   if (error instanceof WorkUnfinishedError) console.log(`${error.done} of ${error.total}: ${error.why}`);
 *   throw error; // the message comes again, and the next attempt goes on
 * });
 */
export class WorkUnfinishedError extends RetryableError {
  override readonly name = 'WorkUnfinishedError';
  /** `stopped`: `signal` was aborted. `stale`: a later attempt has the work by now. */
  readonly why: 'stopped' | 'stale';
  readonly total: number;
  readonly done: number;
  constructor(why: 'stopped' | 'stale', { total, done }: { readonly total: number; readonly done: number }) {
    const because =
      why === 'stopped' ? 'its signal was aborted' : 'its fence or its check was refused, or another attempt has begun';
    const said = `the work is not finished: ${because} after ${done} of ${total} items; the next attempt goes on`;
    super(explained(said, 'work-unfinished'));
    this.why = why;
    this.total = total;
    this.done = done;
  }
}

/**
 * The work returned, and its `onSuccess` rule did not say that all is done: the resources are kept for the next attempt. It does not
 * say that nothing was applied, so that `onAbandoned` decides what becomes of the claim. `cause` is what the rule threw.
 *
 * @example
 * const classify = (error: unknown) => (error instanceof LockKeptError ? 'unknown' : undefined); // `onAbandoned` decides
 */
export class LockKeptError extends Error {
  override readonly name = 'LockKeptError';
  constructor(options?: ErrorOptions) {
    const said = 'the work returned, and its onSuccess rule did not return true: its lock waits for the next attempt';
    super(explained(said, 'lock-kept'), options);
  }
}

/**
 * The work that this call is made in has some of the resources itself. Pass its lock to the inner work. Nothing was changed.
 *
 * @example
 * const describe = (error: unknown) =>
 *   error instanceof NestedLockError ? `locked by the work around this call: ${error.resources.join()}` : String(error);
 */
export class NestedLockError extends Error {
  override readonly name = 'NestedLockError';
  readonly resources: readonly Resource[];
  constructor(resources: readonly Resource[]) {
    const said =
      'the work around this call has locked some of these resources: hand its lock on, and do not lock them again';
    super(explained(said, 'nested-lock'));
    this.resources = resources;
  }
}

/**
 * The items are not those with which the work was begun: what is done of them cannot be told. Nothing was run.
 *
 * @example
 * const describe = (error: unknown) =>
 *   error instanceof WorkChangedError ? `give the items of ${error.work} another id than ${error.id}` : String(error);
 */
export class WorkChangedError extends Error {
  override readonly name = 'WorkChangedError';
  readonly id: string;
  readonly work: string;
  constructor({ id, work }: WorkName) {
    const said = `the items of the work ${work} are not those that it was begun with; give other items another id or another name`;
    super(explained(said, 'work-changed'));
    this.id = id;
    this.work = work;
  }
}

/**
 * A chunk was refused by a condition of the application's own, or by DynamoDB: nothing of it was applied. `reasons` has a code
 * for each of the application's actions, `None` for those that were not in the way.
 *
 * @example
 * const describe = (error: unknown) =>
 *   error instanceof ChunkRefusedError ? `items from ${error.from} on: ${error.reasons.join()}` : String(error);
 */
export class ChunkRefusedError extends Error {
  override readonly name = 'ChunkRefusedError';
  /** The first item of the chunk. */
  readonly from: number;
  readonly reasons: readonly string[];
  constructor(from: number, reasons: readonly string[], cause: unknown) {
    const said = `the chunk at item ${from} was refused: ${[...new Set(reasons)].join(', ')}`;
    super(explained(said, 'chunk-refused'), { cause });
    this.from = from;
    this.reasons = reasons;
  }
}
