import { understood } from '../claims/record.ts';
import { isStated } from '../claims/stated.ts';
import { endFinding, type Finding, openFindings, storeFinding } from './finding.ts';
import { judgeLine, report } from './judge-line.ts';
import type { StatementSettings } from './options.ts';
import { type Phase, progressed } from './phase.ts';
import { type EndedRun, type HeldRun, type StatementRun, writeRun } from './run-note.ts';
import { reportOf } from './run-report.ts';

/** Looks at the open findings once more, and writes the report. */
export async function endRun(settings: StatementSettings, held: HeldRun): Promise<Phase> {
  const { store, host, operation, mostFindings } = settings;
  const { startedAt, counts } = held.run;
  const open: Partial<Record<Finding['kind'], number>> = {};
  const findings: Finding[] = [];
  let fresh = 0;
  for await (const finding of openFindings(store, operation)) {
    if (await isSettled(settings, held.run, finding)) {
      await endFinding(store, finding.id, { settledAt: host.now() }, host.now());
      continue;
    }
    open[finding.kind] = (open[finding.kind] ?? 0) + 1;
    if (finding.foundAt >= startedAt) fresh++;
    if (findings.length < mostFindings) findings.push(finding);
  }
  const run: EndedRun = { ...held.run, phase: 'done', endedAt: host.now(), open, fresh };
  const forOperators = Object.entries(open).reduce((sum, [kind, count]) => sum + (kind === 'undecided' ? 0 : count), 0);
  const { from, cutOff } = run;
  const type = forOperators + counts.notStored > 0 ? 'statement-findings' : 'statement-clean';
  // Before it is written down: a process that dies in between reports twice, and never not at all.
  report(settings, { type, from, cutOff, lines: counts.lines, open: forOperators + counts.notStored, fresh });
  const written = await writeRun(store, run, held.note);
  if (written === undefined) return { kind: 'ended', outcome: { outcome: 'superseded' } };
  progressed(settings, run);
  return { kind: 'ended', outcome: { outcome: 'done', report: reportOf(run), findings } };
}

/** Whether an open finding is none any more. A line that was undecided may be another finding by now, which is stored. */
async function isSettled(settings: StatementSettings, { token }: StatementRun, finding: Finding): Promise<boolean> {
  const { store } = settings;
  const { kind, claimId, line, id } = finding;
  if (claimId === undefined) return false;
  if (kind === 'missing-there') {
    const found = understood(await store.read(claimId));
    return found !== undefined && isStated(found);
  }
  if (line === undefined || (kind !== 'missing-here' && kind !== 'undecided')) return false;
  const { findings } = await judgeLine(settings, line, token, -1);
  if (findings.some((again) => again.id === id)) return false;
  for (const other of findings) await storeFinding(store, other);
  return true;
}
