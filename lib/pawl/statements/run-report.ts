import type { EndedRun, FindingCounts, RestoredOutcome, StatementCounts } from './run-note.ts';

/** What was found by comparing claims with a statement. Times are epoch milliseconds. */
export interface StatementReport extends StatementCounts {
  readonly operation: string;
  readonly from: number;
  readonly cutOff: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** How many findings are open, by kind; those of earlier runs as well. */
  readonly open: FindingCounts;
  /** How many of these this run has found first. */
  readonly fresh: number;
  /** Of a table that was restored, if the run was to release keys or to lift the mark. */
  readonly restored?: RestoredOutcome | undefined;
}

export function reportOf(run: EndedRun): StatementReport {
  const { operation, from, cutOff, startedAt, endedAt, open, fresh, counts, restored } = run;
  return { operation, from, cutOff, startedAt, endedAt, open, fresh, ...counts, ...(restored && { restored }) };
}
