import { understood } from '../rules/record.ts';
import { isStated, noPlace } from '../rules/stated.ts';
import { isCorrectedHere } from './corrected.ts';
import { endFinding, type Finding, openFindings, storeFinding } from './finding.ts';
import { judgeLine, reportStatement } from './judge-line.ts';
import type { StatementSettings } from './options.ts';
import { type Phase, progressed } from './phase.ts';
import { type EndedRun, type HeldRun, type StatementRun, writeRun } from './run-note.ts';
import { reportOf } from './run-report.ts';
import { settleRestored } from './settle-restored.ts';

/** Looks at the open findings once more, and writes the report. */
export async function endRun(settings: StatementSettings, held: HeldRun): Promise<Phase> {
  const { store, host, operation, mostFindings, justStored } = settings;
  const { startedAt, counts } = held.run;
  const open: Partial<Record<Finding['kind'], number>> = {};
  const findings: Finding[] = [];
  let fresh = 0;
  // Before the claims: a line that could not be decided may be the one that a claim is thought to lack.
  for await (const finding of openFindings(store, operation, justStored)) {
    if (await isDecided(settings, held.run, finding)) await settle(finding);
  }
  for await (const finding of openFindings(store, operation, justStored)) {
    if ((await hasItsLine(settings, finding)) || (await isCorrectedHere(settings, finding))) {
      await settle(finding);
      continue;
    }
    open[finding.kind] = (open[finding.kind] ?? 0) + 1;
    if (finding.foundAt >= startedAt) fresh++;
    if (findings.length < mostFindings) findings.push(finding);
  }
  const restored = await settleRestored(settings, held.run, open);
  const run: EndedRun = { ...held.run, phase: 'done', endedAt: host.now(), open, fresh, restored };
  const forOperators = Object.entries(open).reduce((sum, [kind, count]) => sum + (kind === 'undecided' ? 0 : count), 0);
  const { from, cutOff } = run;
  const type = forOperators + counts.notStored > 0 ? 'statement-findings' : 'statement-clean';
  // Before it is written down: a process that dies in between reports twice, and never not at all.
  reportStatement(settings, { type, from, cutOff, lines: counts.lines, open: forOperators + counts.notStored, fresh });
  const written = await writeRun(store, run, held.note);
  if (written === undefined) return { kind: 'ended', outcome: { outcome: 'superseded' } };
  progressed(settings, run);
  return { kind: 'ended', outcome: { outcome: 'done', report: reportOf(run), findings } };

  async function settle({ id }: Finding): Promise<void> {
    await endFinding(store, id, { settledAt: host.now() }, host.now());
  }
}

/** Whether a line is not this finding any more. It may be another one by now, which is stored. */
async function isDecided(settings: StatementSettings, { token }: StatementRun, finding: Finding): Promise<boolean> {
  const { kind, claimId, line, id } = finding;
  if (claimId === undefined || line === undefined || (kind !== 'missing-here' && kind !== 'undecided')) return false;
  const { findings } = await judgeLine(settings, line, token, noPlace);
  if (findings.some((again) => again.id === id)) return false;
  for (const other of findings) {
    await storeFinding(settings.store, other);
    settings.justStored.add(other.id);
  }
  return true;
}

/** Whether a claim that was missing there has its line by now. */
async function hasItsLine({ store }: StatementSettings, { kind, claimId }: Finding): Promise<boolean> {
  if (kind !== 'missing-there' || claimId === undefined) return false;
  const found = understood(await store.read(claimId));
  return found !== undefined && isStated(found);
}
