export type { Finding, FindingKind } from './finding.ts';
export {
  type AcceptedBy,
  type AcceptResult,
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
export type { FindingCounts, RestoredOutcome, StatementCounts } from './run-note.ts';
export type { StatementReport } from './run-report.ts';
