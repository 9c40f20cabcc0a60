import { type ReconcileStatementsOptions, type StatementSettings, settingsOf } from './options.ts';
import { atTheBegin, type StatementOutcome } from './phase.ts';
import { readClaims } from './read-claims.ts';
import { readLines } from './read-lines.ts';
import { type HeldRun, readRun, type StatementRun, writeRun } from './run-note.ts';

/**
 * Compares a provider's statement with the claims of an operation.
 *
 * Owns: how a run begins, and the order of its phases. Does not own: what a line does to its claim (`judge-line.ts`), what a finding is
 * (`finding.ts`), how far a run has come (`run-note.ts`).
 *
 * A run has three phases. The lines: each marks its claim (`read-lines.ts`). The claims: those that are completed and have no mark are not on the
 * statement (`read-claims.ts`). The end: every open finding is looked at once more, and the report is written (`end-run.ts`).
 *
 * 1. Memory holds one part: 100 lines, or 100 claims. Neither side is ever held as a whole.
 * 2. A part is written down when all of it is done. A run that was killed repeats one part, and a repetition changes nothing.
 * 3. Only the attempt that began last writes progress. An earlier one that still runs does no harm, and ends as `superseded`.
 * 4. Absence decides nothing in time: a claim counts as missing there only if its effect cannot have a line outside of what was read.
 */

/**
 * Takes a provider's own statement as the truth, and compares the claims of an operation with it.
 *
 * A claim in doubt that the statement has is completed. What does not agree is a finding: stored beside the claims, until an operator accepts it. A run
 * that was killed or stopped goes on with the next call, in its own window.
 *
 * Needs the permissions of `ClaimsTable.grantStatements`.
 *
 * @throws OptionError when an option is missing or out of range; the store's error; what `statement` throws. The next call goes on
 * @example
 * declare const chargesOf: (window: StatementWindow) => AsyncIterable<StatementLine>; // asks the provider, a page at a time
 *
 * const { outcome } = await reconcileStatements({
 *   operation: 'charge-order',
 *   store,
 *   statement: chargesOf,
 *   from: Date.parse('2026-11-22T00:00:00Z'),
 *   settleMs: 3_600_000,
 * });
 */
export async function reconcileStatements(options: ReconcileStatementsOptions): Promise<StatementOutcome> {
  const settings = settingsOf(options);
  let held = await begin(settings);
  while (held !== undefined && held.run.phase !== 'done') {
    const { run } = held;
    const next = run.phase === 'lines' ? await readLines(settings, held) : await readClaims(settings, held);
    if (next.kind === 'stopped') {
      return { outcome: 'stopped', progress: { phase: next.run.phase, lines: next.run.counts.lines } };
    }
    if (next.kind === 'ended') return next.outcome;
    held = next.held;
  }
  return { outcome: 'superseded' };
}

/** Goes on with the run that has not ended, or begins one. */
async function begin(settings: StatementSettings): Promise<HeldRun | undefined> {
  const { store, host, operation, restore } = settings;
  const attempt = host.randomId();
  const reopenedAt = (await restore?.readRestore(operation))?.reopenedAt;
  for (;;) {
    const found = await readRun(store, operation);
    const run =
      found !== undefined && found.run.phase !== 'done'
        ? goingOn(found.run, attempt, reopenedAt)
        : newRun(settings, attempt, found?.run, reopenedAt);
    const held = await writeRun(store, run, found?.note);
    if (held !== undefined) return held;
  }
}

/** An attempt that does not know of a restore would leave lines of forgotten keys undone. */
function goingOn(run: StatementRun, attempt: string, reopenedAt: number | undefined): StatementRun {
  return { ...run, attempt, reopenedAt: run.reopenedAt === reopenedAt ? reopenedAt : undefined };
}

function newRun(
  settings: StatementSettings,
  attempt: string,
  before: StatementRun | undefined,
  reopenedAt: number | undefined,
): StatementRun {
  const { host, operation, from, settleMs, skewMs, cutOff = host.now() - settleMs - skewMs } = settings;
  // A line that was not stored as a finding is not looked at again: its claim must not count as missing there.
  const isGapless = before !== undefined && from <= before.cutOff && before.counts.notStored === 0;
  return {
    ...{ token: host.randomId(), attempt, operation, from, cutOff, startedAt: host.now(), reopenedAt },
    coveredFrom: isGapless ? Math.min(from, before.coveredFrom) : from,
    ...atTheBegin,
  };
}
