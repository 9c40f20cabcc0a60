import type { RecordedError } from '../kernel/recorded-error.ts';
import type { ResultOmitted, StepResolution } from './record.ts';

/**
 * How an attempt ended, as its owner reports it.
 *
 * @example
 * const failed: Outcome = { status: 'released', error: { name: 'Error', message: 'connection reset' }, unknown: true };
 */
export type Outcome =
  | {
      readonly status: 'completed';
      readonly result?: string | undefined;
      readonly resultOmitted?: ResultOmitted | undefined;
    }
  /**
   * May be tried again. `unknown`: the attempt may have applied the effect before it failed. `inconclusive`: the provider
   * was asked and could not say, which counts like another worker that ended without an outcome. `doubtEnded`: the provider was asked and
   * says that nothing was applied. `unstarted`: nothing had begun, so it is no attempt. `steps`: what it said of each step in doubt.
   */
  | {
      readonly status: 'released';
      readonly error: RecordedError;
      readonly unknown?: boolean;
      readonly inconclusive?: boolean;
      readonly doubtEnded?: boolean;
      readonly unstarted?: boolean;
      readonly steps?: ReadonlyMap<string, StepResolution>;
    }
  | { readonly status: 'rejected'; readonly error: RecordedError }
  /** It is not known, and an operator has to decide. */
  | { readonly status: 'parked'; readonly error: RecordedError };
