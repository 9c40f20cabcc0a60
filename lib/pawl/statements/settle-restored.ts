import { type ResolvingDesk, resolve } from '../operate/resolve.ts';
import { withObserved } from '../rules/observed.ts';
import { type ClaimRecord, understood } from '../rules/record.ts';
import type { MarkedRestore } from '../rules/restored.ts';
import { reportStatement } from './judge-line.ts';
import type { StatementSettings } from './options.ts';
import { allOf } from './phase.ts';
import type { FindingCounts, RestoredOutcome, StatementRun } from './run-note.ts';

/**
 * What the end of a run says about a table that was restored from a point in time.
 *
 * Owns: when absence from the statement decides a key in doubt, and when the mark is lifted. Does not own: how lines complete what the table has
 * forgotten (`judge-line.ts`, with the store's own view), or how a claim is released (`resolve`).
 *
 * 1. Nothing is decided by absence unless the window has all the time in which a forgotten effect can have been applied, and `settleMs` has passed since.
 * 2. Nothing is decided by absence beside a line that could not be matched: it may be the line that a key lacks.
 * 3. Only a doubt of the restore is released. What a worker has left in doubt since the mark was set is its policy's, and so is a claim with steps.
 * 4. The mark is lifted last: by then, each effect that the table has forgotten is a completed claim.
 */

const by = 'statement';

/** @param open what is open at the end of the run. @throws the store's error */
export async function settleRestored(
  settings: StatementSettings,
  run: StatementRun,
  open: FindingCounts,
): Promise<RestoredOutcome | undefined> {
  const { restore, restored, operation } = settings;
  if (restore === undefined || restored === 'complete') return undefined;
  const marked = await restore.readRestore(operation);
  const why = whyNot(settings, run, open, marked);
  if (why !== undefined) return { mark: marked.stands ? 'stands' : 'lifted', why };
  await releaseAbsent(settings, run, marked);
  if (restored === 'lift' && marked.stands) {
    const note = `the statement from ${iso(run.from)} to ${iso(run.cutOff)} has what the table has forgotten`;
    const isLifted = await restore.liftRestore(operation, { by, note }, marked);
    if (!isLifted) return { mark: 'stands', why: 'the mark was corrected while the run judged it' };
  }
  return { mark: restored === 'lift' || !marked.stands ? 'lifted' : 'stands' };
}

/** Why absence decides nothing. @mutant */
export function whyNot(
  { skewMs }: StatementSettings,
  { from, cutOff, reopenedAt, counts }: StatementRun,
  { undecided = 0, unreadable = 0 }: FindingCounts,
  marked: MarkedRestore,
): string | undefined {
  if (reopenedAt !== marked.reopenedAt)
    return 'the run was begun by a function that does not know of the restore, or before its mark was set or corrected';
  if (from > marked.cutOff - skewMs) return `the window begins after the cut-off of the restore, ${iso(marked.cutOff)}`;
  if (cutOff < marked.reopenedAt + skewMs) return `the window ends before the mark was set, ${iso(marked.reopenedAt)}`;
  if (counts.notStored > 0) return 'there were more findings than the run may store';
  if (undecided > 0) return 'lines are undecided';
  // Also an accepted one: its operator has said that it is known, and not which key it is about.
  return unreadable + counts.unreadable > 0 ? 'lines are unreadable' : undefined;
}

/** Releases what is in doubt because of the restore, and is not on the statement: what is on it has been completed. */
async function releaseAbsent(settings: StatementSettings, run: StatementRun, marked: MarkedRestore): Promise<void> {
  const { restore, store, host, operation, retentionSeconds } = settings;
  const desk: ResolvingDesk = { store, host, rules: { retentionSeconds }, emit: () => undefined };
  const note = `the provider's statement from ${iso(run.from)} to ${iso(run.cutOff)} does not have it`;
  let cursor: string | undefined;
  do {
    const page = await restore?.listOpen({ operation, limit: 100, cursor });
    await allOf((page?.claims ?? []).map(({ id }) => release(id)));
    cursor = page?.cursor;
  } while (cursor !== undefined);

  async function release(id: string): Promise<void> {
    const found = understood(await store.read(id));
    if (found === undefined || !isOfRestore(withObserved(found), settings, run, marked)) return;
    const { outcome } = await resolve(desk, { id }, 'not-applied', { by, note, fence: found.fence });
    if (outcome === 'resolved')
      reportStatement(settings, { type: 'reconciled', verdict: 'not-applied', settled: true }, id);
  }
}

/** Whether all that is in doubt of a claim is what the table has forgotten, and the window has all of that time. @mutant */
export function isOfRestore(
  { restoredAt, unknownAt, status, checkpoints, firstSeenAt }: ClaimRecord,
  { skewMs }: StatementSettings,
  { from }: StatementRun,
  { reopenedAt, cutOff }: MarkedRestore,
): boolean {
  if (status !== 'parked' && status !== 'released') return false;
  if (restoredAt !== reopenedAt || unknownAt !== reopenedAt) return false;
  return checkpoints === undefined && Math.min(firstSeenAt, cutOff) - skewMs >= from;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
