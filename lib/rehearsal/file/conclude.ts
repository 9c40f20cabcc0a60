import { hintsFor } from './hints.ts';
import type { Journal } from './journal.ts';
import { type EffectVerdict, emptiness, isClean } from './judge.ts';
import type { Harmed, RehearsalResult } from './result.ts';
import { consumersOf, type Running } from './running.ts';
import type { ServedProvider } from './serve-provider.ts';
import { standingOf } from './standing.ts';
import { storyOf } from './story.ts';

/** Says what became of everything, and why. */
export async function resultOf(run: Running, left: number): Promise<RehearsalResult> {
  const { options, plan, journal, providers, engine, traffic, carried, shortened } = run;
  const effects = options.effects ?? options.providers ?? {};
  const { counts, verdicts, claims, deadLettered, deadLetters } = await standingOf(run, effects);
  const findings = (await options.check?.(traffic.app)) ?? [];
  const empty = emptiness(verdicts, { sent: traffic.sent.size, expectsSome: options.expect === undefined });
  const inDeadLetters = new Set(deadLettered.map(({ intent }) => intent));
  const harmed = verdicts.flatMap((verdict) =>
    harmedOf(verdict, counts.get(verdict.effect) ?? new Map(), journal, inDeadLetters, traffic.sent),
  );
  const streams = engine.stacks.flatMap(({ streamConsumers }) => streamConsumers);
  const stats = [...consumersOf(engine), ...streams].map((consumer) => consumer.stats);
  const byProvider = (pick: (stats: ServedProvider['stats']) => number) =>
    Object.fromEntries(
      providers.filter((served) => pick(served.stats) > 0).map((served) => [served.name, pick(served.stats)]),
    );
  return {
    seed: plan.seed,
    good: verdicts.every(isClean) && empty.length === 0 && findings.length === 0 && left === 0,
    effects: verdicts,
    empty,
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
    }),
    intents: traffic.sent.size,
    messages: traffic.stats.messages,
    duplicates: traffic.stats.duplicates,
    deliveries: stats.reduce((sum, { deliveries }) => sum + deliveries, 0),
    redeliveries: stats.reduce((sum, { redeliveries }) => sum + redeliveries, 0),
    faults: { ...carried.stats },
    planned: plan.faults,
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
    notRun: engine.notRun,
    shortened,
    seconds: (Date.now() - run.begunAt) / 1_000,
  };
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
