export { type ActName, type ActsQuery, type OperatorAct, operatorActs } from './acts.ts';
export type { ClaimName, ClaimView, OpenClaimView, OpenState, StepView } from './claim-view.ts';
export type { DeadLetter, DeadLettersQuery, DeadLettersSeen } from './dead-letters.ts';
export type { DiscardResult } from './discard.ts';
export type { DiscardPlan, DiscardWanted, KeepReason, PlannedDiscard } from './discard-plan.ts';
export type { OperateEvent } from './events.ts';
export type { ExecutionView } from './execution-view.ts';
export type { ForgetResult, ForgottenBy, NotReached } from './forget.ts';
export type { DoubledKey, ObservedReport, WrongKey } from './observed.ts';
export type { OpenClaimsPage, OpenClaimsQuery } from './open-claims.ts';
export { type Operator, operator } from './operator.ts';
export type { ActedBy, ActOptions, OperatorOptions } from './options.ts';
export type { RedriveResult } from './redrive.ts';
export type { PlannedRedrive, RedrivePlan, RedriveWanted, StayReason } from './redrive-plan.ts';
export type {
  ClaimToResolve,
  PlannedResolution,
  ResolutionPlan,
  ResolutionsWanted,
  ResolvedByOperator,
  ResolveResult,
} from './resolve.ts';
