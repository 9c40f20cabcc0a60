import type { Outcome } from './outcome.ts';

/** How a run was recorded. `stale` and `lost` are outcomes that are known here and could not be written there. */
export type Recorded = Outcome['status'] | 'stale' | 'lost';

/** What came of running a handler under a claim. */
export interface Ran<R> {
  /**
   * `not-started`: too little time was left, and the claim was given back before anything began. `reconciled`: the
   * provider says that an earlier attempt has done it. `in-doubt`: the provider could not say yet.
   */
  readonly ran: 'returned' | 'threw' | 'not-started' | 'reconciled' | 'in-doubt';
  readonly value?: R;
  readonly error?: unknown;
  /** The effect is known to have happened, whether or not that could be recorded. */
  readonly applied?: boolean;
  readonly recorded: Recorded;
  /** How long it makes no sense to ask again, in milliseconds. */
  readonly retryAfterMs?: number;
}
