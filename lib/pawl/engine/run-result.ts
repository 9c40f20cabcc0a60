import type { RecordedError } from '../kernel/recorded-error.ts';
import type { Outcome } from '../rules/outcome.ts';

/** How a run was recorded. `stale` and `lost` are outcomes that are known here and could not be written there. */
export type Recorded = Outcome['status'] | 'stale' | 'lost';

/** What came of running a handler under a claim. */
export type RunResult<R> =
  | { readonly kind: 'returned'; readonly value: R; readonly recorded: Recorded }
  /** The provider says that an earlier attempt has applied the effect. The handler did not run. */
  | { readonly kind: 'reconciled'; readonly value: R; readonly recorded: Recorded }
  | {
      readonly kind: 'threw';
      readonly error: unknown;
      /** The effect is known to have happened, whether or not that could be recorded. */
      readonly applied: boolean;
      readonly recorded: Recorded;
      /** How long an earlier question to the provider is wasted, in milliseconds. */
      readonly retryAfterMs: number;
    }
  /** Too little time was left, and the claim was given back before anything began. */
  | { readonly kind: 'not-started'; readonly error: unknown; readonly recorded: Recorded }
  /** The provider could not say yet what became of an earlier attempt. */
  | {
      readonly kind: 'in-doubt';
      readonly error: RecordedError;
      readonly recorded: Recorded;
      readonly retryAfterMs: number;
    };
