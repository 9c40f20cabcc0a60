import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Finding,
  type FindingKind,
  type Findings,
  type PlannedRemedy,
  type RemedyAmounts,
  type RemedyResult,
  type SettleFindingsOptions,
  settleFindings,
} from 'pawl/statements';
import { type Act, carryOut } from './carry-out.ts';
import { actedBy, type Io, UsageError } from './command.ts';
import { type OpenAccount, withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, plan as planOptions } from './options.ts';
import { plural } from './output.ts';

interface Given extends Values<typeof accountOptions>, Values<typeof planOptions> {
  readonly operation: string | undefined;
  readonly kind: FindingKind | undefined;
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly remedies: string | undefined;
  readonly 'by-hand': boolean;
  readonly json: boolean;
}

/** `pawl findings settle`. @returns 1 if a finding stays */
export async function settle(options: Given, io: Io, ids: readonly string[]): Promise<number> {
  const { remedies: file, 'by-hand': isByHand } = options;
  if (isByHand === (file !== undefined))
    throw new UsageError('pawl findings settle takes --remedies <file>, or --by-hand.');
  if (isByHand && ids.length === 0) throw new UsageError('--by-hand: name the findings.');
  const acted = actedBy(options);
  const remedies = file === undefined ? undefined : await remediesIn(file);
  return withAccount(options, { io, grant: 'grantStatements' }, async (account) => {
    if (remedies === undefined) {
      return carryOut(
        options,
        io,
        byIds(ids, {
          verb: 'settled',
          question: (these) => `Record that ${these} were settled by hand? No remedy of them happens any more.`,
          isDone: ({ outcome }) => outcome === 'settled-by-hand',
          act: async (id) => (await account.findings.settleByHand(id, acted)).outcome,
        }),
      );
    }
    const settlement = settleFindings({
      ...{ ...remedies, store: account.store, identity: account.identity },
      // The command prints what it does itself, but for an effect that happened, and of which its claim has no record.
      onEvent({ type, ...facts }) {
        if (unrecorded.has(type)) io.error.line(JSON.stringify({ pawl: type, ...facts }));
      },
    });
    const findings = ids.length > 0 ? ids : await filtered(options, account);
    const planned = await settlement.plan({ ...acted, findings });
    return carryOut(options, io, {
      ...{ thing: 'finding', verb: 'settled' },
      parts: [{ items: planned.items, count: planned.count, run: (signal) => settlement.settle(planned, { signal }) }],
      columns: [
        ['WILL', 24],
        ['REMEDY', 16],
        ['AMOUNT', 10],
        ['FINDING', 0],
      ],
      row: rowOf,
      warn: () => warnOfTaken(io, planned.taken),
      question: (these) => `Settle ${these}, for ${planned.amount} in all? This cannot be undone.`,
      isDone: ({ outcome }) => outcome === 'settled',
      say: sayRemedy,
      left: 'A remedy that has begun is under its claim, and its reservation stays. Start it again: it goes on.',
    });
  });
}

/** What its result does not say: a remedy under `'retry'` would run again. */
const unrecorded: ReadonlySet<string> = new Set(['completion-lost', 'stale-claim', 'outcome-lost']);

/** The findings that the filters find; `undefined` where the command line has no filter: all of them. */
async function filtered({ operation, kind }: Given, { findings }: OpenAccount): Promise<readonly string[] | undefined> {
  if (operation === undefined && kind === undefined) return undefined;
  const ids: string[] = [];
  for await (const { id } of findings.list({ operation, kind })) ids.push(id);
  return ids;
}

/** `pawl findings approve`. @returns 1 if one was not approved */
export async function approve(options: Given, io: Io, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) throw new UsageError('pawl findings approve takes the ids of findings.');
  const acted = actedBy(options);
  return withAccount(options, { io, grant: 'grantStatements' }, async ({ findings }) => {
    const items = await plannedApprovals(findings, ids);
    const asked = items.filter((item) => item.will === 'approve');
    return carryOut<PlannedApproval, IdResult>(options, io, {
      ...{ thing: 'finding', verb: 'approved', expectsSome: true },
      parts: [
        {
          items,
          count: asked.length,
          async *run(signal) {
            for (const { id, request } of asked) {
              if (signal.aborted) return;
              yield { id, outcome: (await findings.approve(id, { ...acted, request })).outcome };
            }
          },
        },
      ],
      columns: [
        ['WILL', 16],
        ['REMEDY', 16],
        ['AMOUNT', 10],
        ['ASKED BY', 12],
        ['FINDING', 0],
      ],
      row: (item) =>
        item.will === 'stay'
          ? [`stay: ${item.whyNot}`, '', '', '', item.id]
          : ['be approved', item.remedy, item.amount, item.askedBy, item.id],
      question: (these) => `Approve the remedies of ${these}? The next run carries them out.`,
      isDone: ({ outcome }) => outcome === 'approved',
      say: ({ id, outcome }) => (outcome === 'approved' ? undefined : `Not approved: ${id}: ${outcome}`),
      left: leftOf('approved'),
    });
  });
}

/** One finding of an approval: what is approved is the request that is shown, and none that comes after it. */
type PlannedApproval = { readonly id: string } & (
  | {
      readonly will: 'approve';
      readonly remedy: string;
      readonly amount: number;
      readonly askedBy: string;
      readonly request: string;
    }
  | { readonly will: 'stay'; readonly whyNot: 'not-open' | 'not-asked' }
);

async function plannedApprovals(findings: Findings, ids: readonly string[]): Promise<readonly PlannedApproval[]> {
  const open = new Map<string, Finding>();
  for await (const finding of findings.list()) if (ids.includes(finding.id)) open.set(finding.id, finding);
  return ids.map((id): PlannedApproval => {
    const found = open.get(id);
    if (found === undefined) return { id, will: 'stay', whyNot: 'not-open' };
    const { request } = found;
    if (request === undefined) return { id, will: 'stay', whyNot: 'not-asked' };
    const { operation: remedy, amount, by: askedBy } = request;
    return { id, will: 'approve', remedy, amount, askedBy, request: request.id };
  });
}

interface IdResult {
  readonly id: string;
  readonly outcome: string;
}

/** An act on findings that are named, one after the other. */
export function byIds(
  ids: readonly string[],
  {
    verb,
    question,
    isDone,
    act,
  }: Pick<Act<string, IdResult>, 'verb' | 'question' | 'isDone'> & { readonly act: (id: string) => Promise<string> },
): Act<string, IdResult> {
  return {
    ...{ thing: 'finding', verb, question, isDone },
    parts: [
      {
        items: ids,
        count: ids.length,
        async *run(signal) {
          for (const id of ids) {
            if (signal.aborted) return;
            yield { id, outcome: await act(id) };
          }
        },
      },
    ],
    say: (result) => (isDone(result) ? undefined : `Not ${verb}: ${result.id}: ${result.outcome}`),
    left: leftOf(verb),
  };
}

const leftOf = (verb: string) => `One finding is ${verb} or open: pawl findings shows which. Start it again.`;

type Remedies = Omit<SettleFindingsOptions, 'store' | 'identity' | 'onEvent'>;

/** What a file of the author's exports. @throws UsageError */
export async function remediesIn(file: string): Promise<Remedies> {
  const loaded: { readonly default?: Remedies } = await import(pathToFileURL(resolve(file)).href).catch(
    (error: unknown) => {
      throw new UsageError(`--remedies: ${file} cannot be loaded: ${error instanceof Error ? error.message : error}`);
    },
  );
  if (typeof loaded.default !== 'object')
    throw new UsageError(`--remedies: expected ${file} to export { operation, remedies, limits } as its default.`);
  return loaded.default;
}

function rowOf(item: PlannedRemedy): readonly unknown[] {
  if (item.will === 'stay') return [`stay: ${item.whyNot}`, '', '', item.id];
  const will = item.will === 'ask' ? 'be asked for' : item.hasBegun ? 'go on' : 'run';
  return [will, item.remedy, item.amount, item.id];
}

function sayRemedy(result: RemedyResult): string | undefined {
  switch (result.outcome) {
    case 'settled':
      return undefined;
    case 'asked':
      return `Asked for: ${result.id}: a second person approves it with pawl findings approve`;
    case 'limit':
      return `Not settled: ${result.id}: ${result.limit}`;
    case 'stays':
      return `Not settled: ${result.id}: ${result.whyNot}${result.claimId === undefined ? '' : `, claim ${result.claimId}`}`;
    case 'failed':
      return `Not settled: ${result.id}: ${result.error.name}: ${result.error.message}`;
  }
}

/** What other runs have done today counts as well, and what a run that died has reserved. */
function warnOfTaken({ error }: Io, { count, amount }: RemedyAmounts): void {
  if (count > 0)
    error.line(`Today, ${plural(count, 'remedy', 'remedies')} for ${amount} in all are spent or reserved.`);
}
