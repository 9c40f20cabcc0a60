import { youngestDoubt, youngestStepDoubt } from 'pawl/internal';
import type { ClaimToResolve, Operator, PlannedResolution, ResolutionPlan, ResolveResult } from 'pawl/operate';
import { claimName, queryOf } from './claims.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { openAccount } from './open-account.ts';
import { age, plural, printJson, progress, Table } from './output.ts';

const verdicts = ['applied', 'not-applied', 'retry'] as const;
type Verdict = (typeof verdicts)[number];
type StepVerdicts = Parameters<Operator['resolve']>[1];
type StepVerdict = Exclude<StepVerdicts, string>[string];

/** `pawl resolve`. @returns 1 if a claim was refused */
export async function resolve(line: Line, io: Io): Promise<number> {
  const acted = { by: line.needed('by'), note: line.needed('note') };
  const days = line.count('retention-days');
  const steps = stepsOf(line);
  const { keys, verdict } = steps === undefined ? keysAndVerdict(line) : { keys: line.positionals, verdict: undefined };
  const filter = filterOf(line);
  if (filter !== undefined && keys.length > 0)
    throw new UsageError(`--${filter}: name claims, or filters, and not both.`);
  const fence = line.count('fence');
  if (fence !== undefined && keys.length !== 1) throw new UsageError('--fence: name one claim.');
  const names = keys.map((key) => ({ ...claimName(line, key), fence }));
  const account = await openAccount(line, {
    io,
    // The command prints its results itself.
    onEvent: () => undefined,
    ...(days !== undefined && { retentionSeconds: days * 86_400 }),
  });
  try {
    const { operate } = account;
    if (verdict === undefined) return await resolveSteps(line, io, operate, names, steps ?? {}, acted);
    const claims = names.length > 0 ? names : openOnes(operate, line);
    return await carryOut(line, io, operate, await operate.planResolutions({ claims, verdict, ...acted }));
  } finally {
    account.close();
  }
}

async function carryOut(line: Line, io: Io, operate: Operator, plan: ResolutionPlan): Promise<number> {
  const isJson = line.flag('json');
  printPlan(io, isJson, plan.items);
  const stay = plan.items.length - plan.count;
  if (line.flag('dry-run') || plan.count === 0) {
    if (isJson) printJson(io, { kind: 'summary', planned: plan.count, stay });
    else io.out.line(`${plural(plan.count, 'claim')} would be resolved as ${plan.verdict}, ${stay} would stay.`);
    return stay > 0 || plan.items.length === 0 ? 1 : 0;
  }
  if (plan.verdict === 'not-applied') warnOfYoungDoubt(io, youngestDoubt(plan.items));
  const question = `Resolve ${plural(plan.count, 'claim')} as ${plan.verdict}? This cannot be undone.`;
  if (!(await confirmed(line, io, question))) {
    io.error.line('Nothing was changed.');
    return 1;
  }
  const counting = progress(io, 'resolved');
  let ended = 0;
  let resolved = 0;
  const said = () => `${plural(resolved, 'claim')} resolved as ${plan.verdict}, ${plan.items.length - resolved} not.`;
  try {
    await io.ending.during({ done: () => (ended > 0 ? said() : undefined), left: leftOpen }, async (signal) => {
      for await (const result of operate.resolveAll(plan, { signal })) {
        counting.at(++ended, plan.count);
        if (result.outcome === 'resolved') resolved++;
        printResult(io, isJson, result);
      }
    });
  } finally {
    counting.end();
  }
  const refused = plan.items.length - resolved;
  if (isJson) printJson(io, { kind: 'summary', resolved, refused });
  else io.out.line(said());
  return refused > 0 ? 1 : 0;
}

/** What was not applied at the moment may be applied by a request that is still under way. */
function warnOfYoungDoubt({ error }: Io, youngest: number | undefined): void {
  if (youngest === undefined) return;
  error.line(
    `The youngest doubt is ${age(Date.now() - youngest)} old. not-applied is right only once a request that the worker gave up can no longer reach the provider: wait as long as settleMs would be, or leave younger ones out with --doubt-older-than.`,
  );
}

async function resolveSteps(
  line: Line,
  io: Io,
  operate: Operator,
  [name, ...more]: readonly ClaimToResolve[],
  steps: Exclude<StepVerdicts, string>,
  acted: { readonly by: string; readonly note: string },
): Promise<number> {
  if (name === undefined || more.length > 0)
    throw new UsageError('--step: name one claim, and no verdict of the whole.');
  const text = Object.entries(steps).map(([step, said]) => `${step} ${typeof said === 'string' ? said : said.verdict}`);
  if (line.flag('dry-run'))
    throw new UsageError('--dry-run: a resolution by step has no plan. Look at the claim with: pawl claim <key>.');
  const notApplied = Object.keys(steps).filter((step) => steps[step] === 'not-applied');
  const claim = notApplied.length === 0 ? undefined : await operate.readClaim(name);
  if (claim !== undefined) warnOfYoungDoubt(io, youngestStepDoubt(claim, notApplied));
  if (!(await confirmed(line, io, `Resolve ${text.join(', ')}? This cannot be undone.`))) {
    io.error.line('Nothing was changed.');
    return 1;
  }
  let said: string | undefined;
  const result = await io.ending.during({ done: () => said, left: leftOpen }, async () => {
    const one = await operate.resolve(name, steps, { ...acted, fence: name.fence });
    said = `${one.id}: ${one.outcome}.`;
    printResult(io, line.flag('json'), one);
    return one;
  });
  return result.outcome === 'resolved' ? 0 : 1;
}

/** Each claim is resolved in one write. */
function leftOpen(): string {
  return 'Of those under way, each is resolved or open: pawl claims shows which. Start it again.';
}

/** The claims that the filters find. One that is granted before it is planned is another doubt than the one that they found. */
async function* openOnes(operate: Operator, line: Line): AsyncGenerator<ClaimToResolve> {
  for await (const { claims } of operate.openClaims(queryOf(line))) {
    yield* claims.map(({ id, fence }) => ({ id, fence }));
  }
}

/** @throws UsageError */
function keysAndVerdict(line: Line): { readonly keys: readonly string[]; readonly verdict: Verdict } {
  const keys = line.positionals.slice(0, -1);
  const last = line.positionals.at(-1);
  const verdict = verdicts.find((one) => one === last);
  if (verdict === undefined)
    throw new UsageError(`pawl resolve ends with a verdict: ${verdicts.join(', ')}; got ${last ?? 'none'}.`);
  if (keys.length === 0 && filterOf(line) === undefined && line.text('operation') === undefined) {
    throw new UsageError('pawl resolve takes the keys of claims, or at least one filter such as --operation.');
  }
  return { keys, verdict };
}

/** The first filter that the command line has, but `--operation`, which may belong to a key. */
function filterOf(line: Line): string | undefined {
  return ['status', 'reason', 'older-than', 'doubt-older-than', 'prefix'].find((name) => line.text(name) !== undefined);
}

/** @throws UsageError */
function stepsOf(line: Line): Exclude<StepVerdicts, string> | undefined {
  const steps = new Map<string, StepVerdict>();
  for (const text of line.texts('step')) {
    // The name of a step may have a `=`, and no verdict has.
    const end = text.lastIndexOf('=');
    if (end < 1) throw new UsageError(`--step: expected name=verdict; got '${text}'.`);
    const [name, said] = [text.slice(0, end), text.slice(end + 1)];
    const verdict = verdicts.find((one) => one === said);
    if (verdict === undefined) throw new UsageError(`--step ${name}: expected ${verdicts.join(', ')}; got '${said}'.`);
    if (steps.has(name)) throw new UsageError(`--step ${name}: the step is named twice.`);
    steps.set(name, verdict);
  }
  for (const text of line.texts('step-result')) {
    const [name] = Array.from(steps.keys())
      .filter((one) => text.startsWith(`${one}=`))
      .toSorted((a, b) => b.length - a.length);
    if (name === undefined)
      throw new UsageError('--step-result: expected name=json, with the name of a step that --step names.');
    const said = steps.get(name);
    if (typeof said === 'object') throw new UsageError(`--step-result ${name}: the result is given twice.`);
    if (said !== 'applied') throw new UsageError(`--step-result ${name}: only a step that was applied has a result.`);
    steps.set(name, { verdict: 'applied', result: jsonOf(name, text.slice(name.length + 1)) });
  }
  return steps.size === 0 ? undefined : Object.fromEntries(steps);
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--step-result ${name}: expected JSON.`);
  }
}

function printPlan(io: Io, isJson: boolean, items: readonly PlannedResolution[]): void {
  if (isJson) {
    for (const item of items) printJson(io, { kind: 'plan', ...item });
    return;
  }
  if (items.length === 0) return;
  const table = new Table(io, [
    ['WILL', 24],
    ['REASON', 20],
    ['DOUBT', 6],
    ['CLAIM', 0],
  ]);
  for (const item of items) {
    if (item.will === 'stay') table.row(`stay: ${item.whyNot}`, '', '', item.id);
    else {
      const doubt = item.inDoubtSince === undefined ? '' : age(Date.now() - item.inDoubtSince);
      table.row(item.parksFirst ? 'be parked and resolved' : 'be resolved', item.reason, doubt, item.id);
    }
  }
}

function printResult(io: Io, isJson: boolean, result: ResolveResult): void {
  if (isJson) {
    printJson(io, { kind: 'result', ...result });
    return;
  }
  if (result.outcome === 'resolved') return;
  const why =
    result.outcome === 'failed'
      ? `: ${result.error.message}`
      : result.outcome === 'steps-in-doubt'
        ? `: name each with --step: ${result.steps.join(', ')}`
        : '';
  io.out.line(`Not resolved: ${result.id}: ${result.outcome}${why}`);
}
