export type { ClaimName, ClaimView, OpenClaimView, OpenState, StepView } from './claim-view.ts';
export type { DeadLetter, DeadLettersQuery, DeadLettersSeen } from './dead-letters.ts';
export type { OperateEvent } from './events.ts';
export type { OpenClaimsPage, OpenClaimsQuery } from './open-claims.ts';
export { type Operator, operator } from './operator.ts';
export type { ActedBy, OperatorOptions } from './options.ts';
export type { PlannedRedrive, RedrivePlan, RedriveResult, RedriveWanted, StayReason } from './redrive.ts';
export type {
  ClaimToResolve,
  PlannedResolution,
  ResolutionPlan,
  ResolutionsWanted,
  ResolvedByOperator,
  ResolveResult,
} from './resolve.ts';
