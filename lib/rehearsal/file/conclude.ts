import { plural } from 'pawl/kernel';
import { isAt } from '../engine/app/constructs.ts';
import { whatToDo } from '../engine/too-slow.ts';
import { type CutShort, sayShortened } from './cut-short.ts';
import { type Counted, tableOfRows } from './effects.ts';
import { hintsFor } from './hints.ts';
import type { Journal } from './journal.ts';
import { type EffectVerdict, emptiness, isClean } from './judge.ts';
import type { Harmed, RehearsalResult } from './result.ts';
import { consumersOf, type Running, streamConsumersOf, tablesOf } from './running.ts';
import type { ServedProvider } from './serve-provider.ts';
import type { Settled } from './settle.ts';
import { standingOf } from './standing.ts';
import { storyOf } from './story.ts';
import { withoutUncounted } from './uncounted.ts';
import { untestedBy } from './untested.ts';

/** Says what became of everything, and why. */
export async function resultOf(run: Running, settled: Settled): Promise<RehearsalResult> {
  const { left, hasRunOut, gaveUp, tooSlow } = settled;
  const { options, plan, journal, providers, engine, traffic, carried, shortened } = run;
  const effects = options.effects ?? options.providers ?? {};
  const { counts, claims, deadLettered, deadLetters, short, starved, ...standing } = await standingOf(
    run,
    effects,
    settled,
  );
  const { verdicts, reasons } = withoutUncounted(standing.verdicts, { effects, providers, journal });
  const isCutOff = tooSlow !== undefined;
  // What an app doubled needs no time to be judged. Everything else does.
  if (isCutOff && verdicts.every(({ doubled }) => doubled.length === 0)) throw tooSlow;
  const check = async () => (await options.check?.(traffic.app, { starved, isCutOff })) ?? [];
  const findings = isCutOff ? await check().then(none, none) : await check();
  const untested = untestedBy(run, effects);
  const unshown = emptiness(verdicts, { sent: traffic.sent.size, expectsSome: options.expect === undefined });
  const empty = isCutOff ? [] : [...reasons, ...untested.reasons, ...unshown];
  const inDeadLetters = new Set(deadLettered.map(({ intent }) => intent));
  const harmed = verdicts.flatMap((verdict) =>
    harmedOf(verdict, counts.get(verdict.effect) ?? new Map(), journal, inDeadLetters, traffic.sent),
  );
  const stats = [...consumersOf(engine), ...streamConsumersOf(engine)].map((consumer) => consumer.stats);
  const byProvider = (pick: (stats: ServedProvider['stats']) => number) =>
    Object.fromEntries(
      providers.filter((served) => pick(served.stats) > 0).map((served) => [served.name, pick(served.stats)]),
    );
  const unjudged = verdicts.reduce((sum, verdict) => sum + verdict.unjudged.length, 0);
  const refused = Object.fromEntries(engine.refusedAddresses());
  const good = verdicts.every(isClean) && unjudged === 0 && empty.length === 0 && findings.length === 0 && left === 0;
  return {
    seed: plan.seed,
    good,
    noVerdict: good
      ? undefined
      : whyNoVerdict(verdicts, { unjudged, hasRunOut, refused, short, isEmpty: empty.length > 0 }),
    refused,
    effects: verdicts,
    empty,
    untested: isCutOff ? [`What had not happened by then. ${tooSlow.message}`] : untested.notes,
    notJudged: Object.keys(effects).filter((effect) => verdicts.every((verdict) => verdict.effect !== effect)),
    harmed,
    story: run.run.story === undefined ? undefined : { intent: run.run.story, lines: storyOf(run.run.story, journal) },
    findings,
    hints: hintsFor({
      harmed,
      verdicts,
      journal,
      consumers: consumersOf(engine),
      hasClaims: claims.tables.length > 0,
      shortened,
      hasRead: carried.hasRead,
      mayRemember: carried.mayRemember,
      tableOf: (effect) => tableCountedBy(effects[effect], run),
      uncalledOf: (effect) =>
        providers.find(({ provider, stats: { calls } }) => provider === effects[effect] && calls === 0)?.name,
    }),
    intents: traffic.sent.size,
    messages: traffic.stats.messages,
    duplicates: traffic.stats.duplicates,
    deliveries: stats.reduce((sum, { deliveries }) => sum + deliveries, 0),
    redeliveries: stats.reduce((sum, { redeliveries }) => sum + redeliveries, 0),
    faults: { ...carried.stats },
    planned: plan.faults,
    due: { ...carried.planned },
    deployments: journal.count('deployed'),
    sandboxes: {
      started: engine.sandboxes.started,
      killed: engine.sandboxes.killed,
      timedOut: engine.sandboxes.timedOut,
      invocations: engine.sandboxes.invocations,
    },
    unattributed: byProvider(({ unattributed }) => unattributed),
    repeatedKeys: byProvider(({ repeated }) => repeated),
    deadLettered: deadLetters,
    parkedClaims: claims.parked.size,
    hasClaims: claims.tables.length > 0,
    left,
    ...(gaveUp === undefined ? {} : { gaveUp }),
    notRun: engine.notRun,
    shortened,
    unread: run.unread,
    seconds: (Date.now() - run.begunAt) / 1_000,
  };
}

function none(): readonly string[] {
  return [];
}

/** The table of which an effect counts the items. */
function tableCountedBy(counted: Counted | undefined, { engine }: Running): string | undefined {
  const construct = counted && tableOfRows(counted);
  return tablesOf(engine).find((table) => construct !== undefined && isAt(table.construct, construct))?.name;
}

/** What `check` finds, or what is missing, may follow from what the rehearsal could not give. An effect that came to harm without that does not. */
function whyNoVerdict(
  verdicts: readonly EffectVerdict[],
  {
    unjudged,
    hasRunOut,
    refused,
    short: { functions },
    isEmpty,
  }: { unjudged: number; hasRunOut: boolean; refused: RehearsalResult['refused']; short: CutShort; isEmpty: boolean },
): string | undefined {
  const [longest] = functions.toSorted((one, other) => other.from - one.from);
  if (verdicts.every(isClean) && (unjudged > 0 || isEmpty) && longest !== undefined) {
    return `${longest.construct} did not respond before its timeout. ${sayShortened(longest)}`;
  }
  if (verdicts.every(isClean) && (unjudged > 0 || hasRunOut)) return tooSlow(unjudged);
  const [first] = Object.entries(refused).toSorted(([, one], [, other]) => other - one);
  if (first === undefined || verdicts.some(({ doubled }) => doubled.length > 0)) return undefined;
  const [address, times] = first;
  return `The app asked for ${address} ${times === 1 ? 'once' : `${times} times`}, which a rehearsal does not let it reach, so that what is missing shows nothing. Name the environment variable that has the address in \`providers\`, with what stands for it.`;
}

/** Why effects are not judged that came to harm, while a function did not have its time. */
export function tooSlow(unjudged: number): string {
  const what = unjudged === 0 ? 'this run' : plural(unjudged, 'effect');
  return `This machine was too slow to judge ${what}: it did not give the functions their time. ${whatToDo}`;
}

function harmedOf(
  { effect, doubled, lost, unfinished }: EffectVerdict,
  counts: ReadonlyMap<string, number>,
  journal: Journal,
  deadLettered: ReadonlySet<string>,
  sent: ReadonlyMap<string, unknown>,
): readonly Harmed[] {
  const of = (problem: Harmed['problem'], list: readonly string[]) =>
    list.map((intent) => {
      const times = counts.get(intent) ?? 0;
      const where = deadLettered.has(intent) ? '; its message is in a dead-letter queue' : '';
      const unknown = sent.has(intent) ? '' : '; the traffic has no intent of this name, so it was not to happen';
      const end = `${effect} × ${times}: ${problem}${where}${unknown}`;
      return { effect, intent, problem, times, story: storyOf(intent, journal, end) };
    });
  return [...of('doubled', doubled), ...of('lost', lost), ...of('unfinished', unfinished)];
}
