import { resolutionVerdicts, youngestDoubt, youngestStepDoubt } from 'pawl/internal';
import type { ClaimToResolve, Operator, PlannedResolution, ResolutionPlan, ResolveResult } from 'pawl/operate';
import { type Act, carryOut } from './carry-out.ts';
import { claimName, queryOf } from './claims.ts';
import { expectNamesOrFilters, type Io, type Line, UsageError } from './command.ts';
import { perhapsHidden } from './hidden-keys.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions, filters, plan as planOptions } from './options.ts';
import { age, plural } from './output.ts';

type StepVerdicts = Exclude<Parameters<Operator['resolve']>[1], string>;
type Verdict = ResolutionPlan['verdict'];

interface Given extends Values<typeof accountOptions>, Values<typeof filters>, Values<typeof planOptions> {
  readonly by: string;
  readonly note: string;
  readonly step: readonly string[];
  readonly 'step-result': readonly string[];
  readonly fence: number | undefined;
  readonly 'retention-days': number | undefined;
  readonly json: boolean;
}

/** `pawl resolve`. @returns 1 if a claim was refused */
export async function resolve({ names: given, options }: Line<Given>, io: Io): Promise<number> {
  const acted = { by: options.by, note: options.note };
  const steps = stepsOf(options);
  const asked = steps === undefined ? keysAndVerdict(given, options) : { keys: given, steps };
  const { keys } = asked;
  expectNamesOrFilters('claims', keys, filterOf(options));
  const { fence, 'retention-days': days } = options;
  if (fence !== undefined && keys.length !== 1) throw new UsageError('--fence: name one claim.');
  const names = keys.map((key) => ({ ...claimName(key, options), fence, evenIfWaiting: true }));
  const retention = days === undefined ? {} : { retentionSeconds: days * 86_400 };
  // The command prints its results itself.
  return withAccount(options, { io, onEvent: () => undefined, ...retention }, async ({ operate }) => {
    if ('steps' in asked) return carryOut(options, io, await ofSteps(options, io, operate, names, asked.steps));
    const { verdict } = asked;
    const claims = names.length > 0 ? names : openOnes(operate, options);
    const plan = await operate.planResolutions({ claims, verdict, ...acted });
    return carryOut(options, io, {
      ...words,
      parts: [
        {
          ...plan,
          head: () => sayForgotten(options, io, plan.items),
          run: (signal) => operate.resolveAll(plan, { signal }),
        },
      ],
      as: ` as ${verdict}`,
      columns: [
        ['WILL', 24],
        ['REASON', 20],
        ['DOUBT', 6],
        ['CLAIM', 0],
      ],
      row: rowOf,
      warn: () => verdict === 'not-applied' && warnOfYoungDoubt(io, youngestDoubt(plan.items)),
      question: (claims) => `Resolve ${claims} as ${verdict}? This cannot be undone.`,
      expectsSome: true,
    });
  });
}

const words = {
  thing: 'claim',
  verb: 'resolved',
  isDone: ({ outcome }: ResolveResult) => outcome === 'resolved',
  say: sayResult,
  // Each claim is resolved in one write.
  left: 'Of those under way, each is resolved or open: pawl claims shows which. Start it again.',
} as const;

/** A key that a restored table does not have may be another one than the consumer's: then the decision is about nothing. */
function sayForgotten(options: Given, { error }: Io, items: readonly PlannedResolution[]): void {
  const count = items.filter((item) => item.will === 'resolve' && item.noRecord).length;
  if (count === 0) return;
  error.line(
    `The restored table has no record of ${plural(count, 'claim')}: it may have forgotten ${count === 1 ? 'it' : 'them'}, or the key is another one than the consumer's. ${perhapsHidden(options)}`,
  );
}

/** What was not applied at the moment may be applied by a request that is still under way. */
function warnOfYoungDoubt({ error }: Io, youngest: number | undefined): void {
  if (youngest === undefined) return;
  error.line(
    `The youngest doubt is ${age(Date.now() - youngest)} old. not-applied is right only once a request that the worker gave up can no longer reach the provider: wait as long as settleMs would be, or leave younger ones out with --doubt-older-than.`,
  );
}

/** The act of a resolution by step. @throws UsageError */
async function ofSteps(
  { 'dry-run': isDry, by, note }: Given,
  io: Io,
  operate: Operator,
  [name, ...more]: readonly ClaimToResolve[],
  steps: StepVerdicts,
): Promise<Act<ClaimToResolve, ResolveResult>> {
  if (name === undefined || more.length > 0)
    throw new UsageError('--step: name one claim, and no verdict of the whole.');
  if (isDry)
    throw new UsageError('--dry-run: a resolution by step has no plan. Look at the claim with: pawl claim <key>.');
  const said = Object.entries(steps).map(([step, one]) => `${step} ${typeof one === 'string' ? one : one.verdict}`);
  const notApplied = Object.keys(steps).filter((step) => steps[step] === 'not-applied');
  const claim = notApplied.length === 0 ? undefined : await operate.readClaim(name);
  return {
    ...words,
    parts: [
      {
        items: [name],
        count: 1,
        async *run() {
          yield await operate.resolve(name, steps, { by, note, fence: name.fence });
        },
      },
    ],
    as: ' by step',
    warn: () => claim && warnOfYoungDoubt(io, youngestStepDoubt(claim, notApplied)),
    question: () => `Resolve ${said.join(', ')}? This cannot be undone.`,
  };
}

/** The claims that the filters find. One that is granted before it is planned is another doubt than the one that they found. */
async function* openOnes(operate: Operator, options: Given): AsyncGenerator<ClaimToResolve> {
  const evenIfWaiting = options.status === 'waiting';
  for await (const { claims } of operate.openClaims(queryOf(options))) {
    yield* claims.map(({ id, fence }) => ({ id, fence, evenIfWaiting }));
  }
}

const expected = resolutionVerdicts.join(', ');
const verdictOf = (text: string | undefined) => resolutionVerdicts.find((one) => one === text);

/** @throws UsageError */
function keysAndVerdict(
  names: readonly string[],
  options: Given,
): { readonly keys: readonly string[]; readonly verdict: Verdict } {
  const keys = names.slice(0, -1);
  const last = names.at(-1);
  const verdict = verdictOf(last);
  if (verdict === undefined)
    throw new UsageError(`pawl resolve ends with a verdict: ${expected}; got ${last ?? 'none'}.`);
  if (keys.length === 0 && filterOf(options) === undefined && options.operation === undefined) {
    throw new UsageError('pawl resolve takes the keys of claims, or at least one filter such as --operation.');
  }
  return { keys, verdict };
}

/** The first filter that the command line has, but `--operation`, which may belong to a key. */
function filterOf(options: Given): string | undefined {
  const names = ['status', 'reason', 'older-than', 'doubt-older-than', 'prefix'] as const;
  return names.find((name) => options[name] !== undefined);
}

/** @throws UsageError */
function stepsOf(options: Given): StepVerdicts | undefined {
  const steps = new Map<string, StepVerdicts[string]>();
  for (const text of options.step) {
    // The name of a step may have a `=`, and no verdict has.
    const end = text.lastIndexOf('=');
    if (end < 1) throw new UsageError(`--step: expected name=verdict; got '${text}'.`);
    const [name, said] = [text.slice(0, end), text.slice(end + 1)];
    const verdict = verdictOf(said);
    if (verdict === undefined) throw new UsageError(`--step ${name}: expected ${expected}; got '${said}'.`);
    if (steps.has(name)) throw new UsageError(`--step ${name}: the step is named twice.`);
    steps.set(name, verdict);
  }
  for (const text of options['step-result']) {
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

function rowOf(item: PlannedResolution): readonly unknown[] {
  if (item.will === 'stay') return [`stay: ${item.whyNot}`, '', '', item.id];
  const doubt = item.inDoubtSince === undefined ? '' : age(Date.now() - item.inDoubtSince);
  return [item.parksFirst ? 'be parked and resolved' : 'be resolved', item.reason, doubt, item.id];
}

function sayResult(result: ResolveResult): string | undefined {
  if (result.outcome === 'resolved') return undefined;
  const why =
    result.outcome === 'failed'
      ? `: ${result.error.message}`
      : result.outcome === 'steps-in-doubt'
        ? `: name each with --step: ${result.steps.join(', ')}`
        : '';
  return `Not resolved: ${result.id}: ${result.outcome}${why}`;
}
