export type { BegunRemedy, NoApproval, NoRemedy, Remedied, RemedyApproval, RemedyRequest } from '../rules/remedy.ts';
export type { RemedyAmounts, RemedyLimit, RemedyLimits, Reservation } from '../rules/reservations.ts';
export type { ApproveResult } from './approve.ts';
export type { SettledReservation } from './end-remedy.ts';
export type { Finding, FindingKind } from './finding.ts';
export {
  type AcceptedBy,
  type AcceptResult,
  type ApprovedBy,
  type Findings,
  type FindingsOptions,
  type FindingsQuery,
  findings,
} from './findings.ts';
export type { Difference, StatementLine } from './line.ts';
export type {
  ReconcileStatementsOptions,
  Statement,
  StatementProgress,
  StatementWindow,
} from './options.ts';
export type { StatementOutcome } from './phase.ts';
export { reconcileStatements } from './reconcile.ts';
export type { Remedy, SettleFindingsOptions } from './remedy-options.ts';
export type { FindingCounts, RestoredOutcome, StatementCounts } from './run-note.ts';
export type { StatementReport } from './run-report.ts';
export type { ByHandResult } from './settle-by-hand.ts';
export {
  type FindingSettlement,
  type PlannedRemedy,
  type RemediesWanted,
  type RemedyPlan,
  settleFindings,
} from './settle-findings.ts';
export type { FindingStays, RemedyResult } from './settle-one.ts';
