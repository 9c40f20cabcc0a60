import type { Finding, StatementReport } from 'pawl/statements';
import { carryOut } from './carry-out.ts';
import { actedBy, expectNamesOrFilters, type Io, type Line, UsageError } from './command.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, plan as planOptions } from './options.ts';
import { age, type Columns, openLine, printer, printFacts, printJson, time } from './output.ts';
import { approve, byIds, settle } from './settle-findings.ts';

interface StatementsGiven extends Values<typeof accountOptions> {
  readonly json: boolean;
}

/** `pawl statements`. @returns 1 if a finding is open, or no run has ended */
export async function statements({ names: [operation = ''], options }: Line<StatementsGiven>, io: Io): Promise<number> {
  return withAccount(options, { io, grant: 'grantStatements' }, async (account) => {
    const report = await account.findings.report(operation);
    if (options.json) printJson(io, { kind: 'report', operation, report });
    else if (report === undefined) io.out.line(`No comparison of ${operation} with a statement has ended yet.`);
    else printReport(io, report);
    return report === undefined || openIn(report) > 0 ? 1 : 0;
  });
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

interface FindingsGiven extends StatementsGiven, Values<typeof planOptions> {
  readonly operation: string | undefined;
  readonly kind: Finding['kind'] | undefined;
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly remedies: string | undefined;
  readonly 'by-hand': boolean;
}

/** `pawl findings`. @returns 1 if a finding is open, or could not be acted on */
export async function findings({ names: [act, ...ids], options }: Line<FindingsGiven>, io: Io): Promise<number> {
  const filter = (['operation', 'kind'] as const).find((name) => options[name] !== undefined);
  expectNamesOrFilters('findings', ids, filter);
  switch (act) {
    case undefined:
      return list(options, io);
    case 'accept':
      return accept(options, io, ids);
    case 'approve':
      return approve(options, io, ids);
    case 'settle':
      return settle(options, io, ids);
    default:
      throw new UsageError(`pawl findings: expected accept, approve or settle; got '${act}'.`);
  }
}

async function list(options: FindingsGiven, io: Io): Promise<number> {
  const { operation, kind } = options;
  return withAccount(options, { io, grant: 'grantStatements' }, async (account) => {
    const print = options.json
      ? ({ kind: what, ...finding }: Finding) => printJson(io, { kind: 'finding', what, ...finding })
      : printer(io, options, 'finding', columns, rowOf);
    let count = 0;
    for await (const finding of account.findings.list({ operation, kind })) {
      count++;
      print(finding);
    }
    if (options.json) printJson(io, { kind: 'summary', open: count });
    else io.out.line(openLine(count, 'finding', operation !== undefined || kind !== undefined));
    return count > 0 ? 1 : 0;
  });
}

const columns: Columns = [
  ['KIND', 13],
  ['AGE', 6],
  ['CLAIM', 32],
  ['WHAT', 32],
  ['FINDING', 0],
];

function rowOf({ id, kind, foundAt, claimId, line, differences = [], why }: Finding): readonly unknown[] {
  const differing = differences.map(({ name, here, there }) => `${name}: ${here} here, ${there} there`).join('; ');
  const facts = Object.entries(line?.facts ?? {}).map(([name, value]) => `${name} ${value}`);
  return [kind, age(Date.now() - foundAt), claimId ?? line?.id, differing || (why ?? facts.join(', ')), id];
}

async function accept(options: FindingsGiven, io: Io, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) throw new UsageError('pawl findings accept takes the ids of findings.');
  const acted = actedBy(options);
  return withAccount(options, { io, grant: 'grantStatements' }, async (account) => {
    return carryOut(
      options,
      io,
      byIds(ids, {
        verb: 'accepted',
        question: (these) => `Accept ${these}? No later run reports them again.`,
        isDone: ({ outcome }) => outcome === 'accepted',
        act: async (id) => (await account.findings.accept(id, acted)).outcome,
      }),
    );
  });
}
