import { joined, ownParts } from '../kernel/name.ts';
import { type KeepsNotes, type Note, noteSchema, type PlaceEntry } from '../rules/notes.ts';
import type { FindingKind } from './finding.ts';

/**
 * How far a run has come, and its report: one note for an operation.
 *
 * 1. A run has a token. An attempt at it has one as well: only the attempt that began last moves the run on.
 * 2. What a part has counted is written with the place where the next part begins, in one write: a part that is repeated counts once.
 * 3. A run keeps its window. An attempt that goes on with it takes the window from here, and not from its clock.
 */

/** What a run has counted. */
export interface StatementCounts {
  /** Lines of the window, of this operation. */
  readonly lines: number;
  /** Of these, whose claim is completed and says the same. */
  readonly matched: number;
  /** Of these, whose claim was in doubt, and is completed by the line. */
  readonly settled: number;
  /** Of these, whose claim has no attributes to compare. */
  readonly uncompared: number;
  /** Lines that are not of the window, and lines of other operations: nothing was done with them. */
  readonly outside: number;
  /** Lines of which no claim can be found, also those that an operator has accepted. */
  readonly unreadable: number;
  /** Completed claims without a line that the window does not decide yet. */
  readonly waiting: number;
  /** Findings that were met. Beyond `mostFindings` they are counted, and not stored. */
  readonly met: number;
  readonly notStored: number;
}

export const nothingCounted: StatementCounts = {
  lines: 0,
  matched: 0,
  settled: 0,
  uncompared: 0,
  outside: 0,
  unreadable: 0,
  waiting: 0,
  met: 0,
  notStored: 0,
};

/** What a run has come to about a table that was restored. */
export interface RestoredOutcome {
  /** Whether the mark of the table stands for the operation. */
  readonly mark: 'stands' | 'lifted';
  /** Why the run decided nothing by absence; absent if it did. */
  readonly why?: string | undefined;
}

/** How many findings there are of each kind. */
export type FindingCounts = Readonly<Partial<Record<FindingKind, number>>>;

/** A run, as far as it has come. Times are epoch milliseconds. */
export interface StatementRun {
  readonly token: string;
  readonly attempt: string;
  readonly operation: string;
  readonly from: number;
  readonly cutOff: number;
  /** Since when statements have been read without a gap, by this run and those before it. */
  readonly coveredFrom: number;
  readonly startedAt: number;
  /** Of a table that was restored, when it was opened again: every line of the run was judged by an attempt that knew it. Absent elsewhere. */
  readonly reopenedAt?: number | undefined;
  readonly phase: 'lines' | 'claims' | 'done';
  /** How many lines of the statement are done. */
  readonly position: number;
  /** Where the provider's list goes on, if the last line said so. */
  readonly cursor?: string | undefined;
  /** Which line the last one was: a list that has changed since is read anew. */
  readonly last?: string | undefined;
  /** The shard of the unstated claims that is being read, and how far. */
  readonly shard: number;
  readonly after?: PlaceEntry | undefined;
  readonly counts: StatementCounts;
  /** Once the run has ended. */
  readonly endedAt?: number | undefined;
  /** What is open at its end. */
  readonly open?: FindingCounts | undefined;
  /** Of these, how many this run has found first. */
  readonly fresh?: number | undefined;
  readonly restored?: RestoredOutcome | undefined;
}

/** A run that has ended. */
export interface EndedRun extends StatementRun {
  readonly endedAt: number;
  readonly open: FindingCounts;
  readonly fresh: number;
}

export function hasEnded(run: StatementRun): run is EndedRun {
  return run.endedAt !== undefined && run.open !== undefined && run.fresh !== undefined;
}

/** The note of an operation's run, and the run. */
export interface HeldRun {
  readonly run: StatementRun;
  readonly note: Note;
}

export function runNoteId(operation: string): string {
  return joined(ownParts('statement', operation));
}

export async function readRun(store: KeepsNotes, operation: string): Promise<HeldRun | undefined> {
  const note = await store.readNote(runNoteId(operation));
  return note && held(note);
}

/**
 * Writes a run in place of what was seen.
 *
 * @returns undefined if another attempt has written since
 */
export async function writeRun(
  store: KeepsNotes,
  run: StatementRun,
  seen: Note | undefined,
): Promise<HeldRun | undefined> {
  const id = runNoteId(run.operation);
  const next: Note = { id, rev: (seen?.rev ?? 0) + 1, text: JSON.stringify(run), v: noteSchema };
  const written = await store.writeNote({ next, seen });
  if (written.applied) return { run, note: next };
  // Our own write, whose response was lost: the text has the token of the attempt.
  const found = written.found;
  return found?.rev === next.rev && found.text === next.text ? held(found) : undefined;
}

function held(note: Note): HeldRun {
  const run = JSON.parse(note.text) as StatementRun;
  return { run: { ...run, counts: { ...nothingCounted, ...run.counts } }, note };
}
