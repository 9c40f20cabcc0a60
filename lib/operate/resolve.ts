import type { ResolutionVerdict } from '../claims/record.ts';
import type { StepResolutions } from '../claims/resolve.ts';
import type { RecordedError } from '../kernel/recorded-error.ts';
import type { ClaimName, ClaimView } from './claim-view.ts';
import type { ActedBy } from './options.ts';

/** Who resolves a claim, and which doubt of it. */
export interface ResolvedByOperator extends ActedBy {
  /**
   * The `fence` of the claim that the operator looked at. If the claim has been granted since, the doubt is another one, and nothing changes.
   * @default not compared
   */
  readonly fence?: number | undefined;
}

/** What became of one resolution. Only `resolved` changed the claim's outcome. */
export type ResolveResult = { readonly id: string } & (
  | { readonly outcome: 'resolved'; readonly claim: ClaimView }
  /** The claim is decided, or nothing of it is in doubt. */
  | { readonly outcome: 'not-in-doubt'; readonly claim: ClaimView }
  /** A worker holds the claim. Its lease ends after so many milliseconds. */
  | { readonly outcome: 'in-flight'; readonly claim: ClaimView; readonly retryAfterMs: number }
  /** The claim has been granted since the one with that `fence`: the doubt is another one. */
  | { readonly outcome: 'another-doubt'; readonly claim: ClaimView }
  /** These steps are in doubt, and the resolution has to name each of them, and no other. */
  | { readonly outcome: 'steps-in-doubt'; readonly claim: ClaimView; readonly steps: readonly string[] }
  | { readonly outcome: 'unknown-key' }
  /** The store failed. It is not known whether the resolution is stored: read the claim. Only in a bulk act. */
  | { readonly outcome: 'failed'; readonly error: RecordedError }
);

/** What a bulk resolution is to do. */
export interface ResolutionsWanted extends ActedBy {
  /** The claims, for example those of `openClaims`. */
  readonly claims: Iterable<ClaimName> | AsyncIterable<ClaimName>;
  readonly verdict: ResolutionVerdict;
}

/** One claim of a plan. */
export type PlannedResolution = {
  readonly id: string;
} & /** `fence`: of the doubt that the plan has seen. `parksFirst`: the claim is in doubt and not parked yet. */
(
  | {
      readonly will: 'resolve';
      readonly fence: number;
      readonly parksFirst: boolean;
      readonly reason: string | undefined;
    }
  | {
      readonly will: 'stay';
      readonly whyNot: Exclude<ResolveResult['outcome'], 'resolved' | 'another-doubt' | 'failed'>;
    }
);

/** What a bulk resolution would do: plain data, which `resolveAll` carries out. */
export interface ResolutionPlan extends ActedBy {
  readonly verdict: ResolutionVerdict;
  readonly items: readonly PlannedResolution[];
  /** How many items will be resolved. */
  readonly count: number;
}

export type { ResolutionVerdict, StepResolutions };
