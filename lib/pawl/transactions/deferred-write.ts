import { propertyOf } from '../kernel/unknown.ts';
import type { Refusal } from './refused.ts';
import type { AppWrite } from './store.ts';

/**
 * A write that is made when it is committed, and has more to do once it is: a message of an outbox.
 *
 * Owns: what a commit has to know of such a write. Does not own: what it is. `pawl/outbox` makes them.
 *
 * 1. A write is made again only if the store has refused what was made of it: then that can never be applied. So of a commit whose answer was lost, it is
 *    known what it has applied.
 * 2. What follows a commit never fails it, and ends in time.
 */

/** Finds the maker of a deferred write. By name: a project that loads pawl by `import` and by `require` has two copies. */
export const madeBy: unique symbol = Symbol.for('pawl.deferred-write/1');

/** A write that its maker turns into actions of a transaction. */
export interface DeferredWrite {
  /** @internal */
  readonly [madeBy]: WriteMaker;
}

/** A write as `commit`, `commitStep`, `inPhases` and `eachTransaction` take it: the application's own, or a message of an outbox. */
export type CommitWrite = AppWrite | DeferredWrite;

/** Makes the actions of its writes. */
export interface WriteMaker {
  readonly kind: 'dynamodb';
  /** How many actions of a transaction these writes take. */
  actionsOf(writes: readonly DeferredWrite[]): number;
  /** @throws what a store throws */
  make(writes: readonly DeferredWrite[]): Promise<MadeWrites>;
}

/** What there is to do at once after a commit. */
export interface FollowsCommit {
  /**
   * Never throws.
   *
   * @param until when nothing is waited for any more, in epoch milliseconds
   * @param isKnown whether what was made is known to be applied, and not only that the claim is complete
   */
  follow(until: number, isKnown: boolean): Promise<void>;
}

/** A message as a commit in PostgreSQL takes it: the function of the transaction returns it. */
export interface DeferredRow {
  /** @internal */
  readonly [madeBy]: RowMaker;
}

/** Writes its rows. */
export interface RowMaker {
  readonly kind: 'postgres';
  /** Writes them in the transaction that the connection is in. @throws what the driver throws; SetupError where an operator has to act */
  insert(connection: Queryable, rows: readonly DeferredRow[]): Promise<FollowsCommit>;
}

/** A connection, or whatever runs a statement of PostgreSQL on one: `PoolClient` of `pg` fits. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly object[] }>;
}

/** What was made of some writes. */
export interface MadeWrites extends FollowsCommit {
  readonly actions: readonly AppWrite[];
  /** Whether a refusal, by the index among these actions, says that another transaction was faster. The writes have to be made again. */
  isOutrun(refusal: Pick<Refusal, 'index' | 'code'>): boolean;
}

export function makerOf(write: unknown): WriteMaker | RowMaker | undefined {
  return propertyOf(write, madeBy) as WriteMaker | RowMaker | undefined;
}
