import { findingKinds } from 'pawl/internal';
import type { Finding, StatementReport } from 'pawl/statements';
import { type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { openAccount } from './open-account.ts';
import { age, plural, printFacts, printJson, Table, time } from './output.ts';

/** `pawl statements`. @returns 1 if a finding is open, or no run has ended */
export async function statements(line: Line, io: Io): Promise<number> {
  const [operation, ...more] = line.positionals;
  if (operation === undefined || more.length > 0) throw new UsageError('pawl statements takes one operation.');
  const account = await openAccount(line, { io, grant: 'grantStatements' });
  try {
    const report = await account.findings.report(operation);
    if (line.flag('json')) printJson(io, { kind: 'report', operation, report });
    else if (report === undefined) io.out.line(`No comparison of ${operation} with a statement has ended yet.`);
    else printReport(io, report);
    return report === undefined || openIn(report) > 0 ? 1 : 0;
  } finally {
    account.close();
  }
}

function openIn({ open, notStored }: StatementReport): number {
  return Object.values(open).reduce((sum, count) => sum + count, notStored);
}

function printReport(io: Io, report: StatementReport): void {
  const { from, cutOff, endedAt, open, notStored, restored } = report;
  printFacts(io, {
    operation: report.operation,
    from: new Date(from).toISOString(),
    'cut-off': new Date(cutOff).toISOString(),
    ended: time(endedAt),
    lines: report.lines,
    matched: report.matched,
    'completed by a line': report.settled,
    'not compared': report.uncompared,
    'claims that wait': report.waiting,
    open: Object.entries(open)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', '),
    'not stored': notStored === 0 ? undefined : notStored,
    'mark of the restore':
      restored && (restored.why === undefined ? restored.mark : `${restored.mark}: ${restored.why}`),
  });
}

/** `pawl findings`. @returns 1 if a finding is open, or could not be accepted */
export async function findings(line: Line, io: Io): Promise<number> {
  const [act, ...ids] = line.positionals;
  if (act !== undefined && act !== 'accept') throw new UsageError(`pawl findings: expected accept; got '${act}'.`);
  return act === 'accept' ? accept(line, io, ids) : list(line, io);
}

async function list(line: Line, io: Io): Promise<number> {
  const operation = line.text('operation');
  const kind = line.choice('kind', findingKinds);
  const account = await openAccount(line, { io, grant: 'grantStatements' });
  try {
    const print = line.flag('json')
      ? ({ kind: what, ...finding }: Finding) => printJson(io, { kind: 'finding', what, ...finding })
      : findingsTable(io);
    let count = 0;
    for await (const finding of account.findings.list({ operation, kind })) {
      count++;
      print(finding);
    }
    if (line.flag('json')) printJson(io, { kind: 'summary', open: count });
    else io.out.line(count === 0 ? 'No finding is open.' : `${plural(count, 'open finding')}.`);
    return count > 0 ? 1 : 0;
  } finally {
    account.close();
  }
}

function findingsTable(io: Io): (finding: Finding) => void {
  let table: Table | undefined;
  return ({ id, kind, foundAt, claimId, line, differences = [], why }) => {
    table ??= new Table(io, [
      ['KIND', 13],
      ['AGE', 6],
      ['CLAIM', 32],
      ['WHAT', 32],
      ['FINDING', 0],
    ]);
    const differing = differences.map(({ name, here, there }) => `${name}: ${here} here, ${there} there`).join('; ');
    const facts = Object.entries(line?.facts ?? {}).map(([name, value]) => `${name} ${value}`);
    table.row(kind, age(Date.now() - foundAt), claimId ?? line?.id, differing || (why ?? facts.join(', ')), id);
  };
}

async function accept(line: Line, io: Io, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) throw new UsageError('pawl findings accept takes the ids of findings.');
  const [by, note] = [line.needed('by'), line.needed('note')];
  const account = await openAccount(line, { io, grant: 'grantStatements' });
  try {
    if (!(await confirmed(line, io, `Accept ${plural(ids.length, 'finding')}? No later run reports them again.`))) {
      io.error.line('Nothing was changed.');
      return 1;
    }
    let accepted = 0;
    const done = () => (accepted === 0 ? undefined : `${plural(accepted, 'finding')} accepted.`);
    const left = () => 'One finding is accepted or open: pawl findings shows which. Start it again.';
    await io.ending.during({ done, left }, async (signal) => {
      for (const id of ids) {
        if (signal.aborted) return;
        const { outcome } = await account.findings.accept(id, { by, note });
        if (outcome === 'accepted') accepted++;
        if (line.flag('json')) printJson(io, { kind: 'result', id, outcome });
        else if (outcome !== 'accepted') io.out.line(`Not accepted: ${id}: ${outcome}`);
      }
    });
    if (!line.flag('json')) io.out.line(`${plural(accepted, 'finding')} accepted.`);
    return accepted < ids.length ? 1 : 0;
  } finally {
    account.close();
  }
}
