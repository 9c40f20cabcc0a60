import { findClaims } from '../pawl/find-claims.ts';
import { type Counted, countEffects } from './effects.ts';
import { type FunctionsAtWork, functionsAtWork, type Waiting } from './functions-at-work.ts';
import { hintsFor } from './hints.ts';
import type { Journal } from './journal.ts';
import { type EffectVerdict, emptiness, isClean, judge } from './judge.ts';
import { isProvider, type Provider } from './providers.ts';
import type { Harmed, RehearsalResult } from './result.ts';
import { consumersOf, type Running } from './running.ts';
import type { ServedProvider } from './serve-provider.ts';
import { storyOf } from './story.ts';

/** Asks the providers, the tables, the claims and the queues what became of everything, and judges it. */
export async function resultOf(run: Running, left: number): Promise<RehearsalResult> {
  const { options, plan, intents, journal, providers, engine, traffic, carried, shortened } = run;
  const effects = options.effects ?? options.providers ?? {};
  const ofProvider = (provider: Provider) =>
    providers.find((served) => served.provider === provider)?.counts ?? new Map<string, number>();
  const counts = await countEffects(effects, traffic.app, ofProvider);
  const findings = (await options.check?.(traffic.app)) ?? [];
  const claims = await findClaims(
    engine.dynamo,
    engine.stacks.flatMap(({ tables }) => tables.map(({ name }) => name)),
  );
  const atWork = functionsAtWork(journal);
  const parked = [...claims.parked].flatMap((id) =>
    intents.namedIn(id).map((intent): Waiting => ({ intent, functions: atWork.writing(id) })),
  );
  const { deadLettered, deadLetters, queued } = await whereMessagesAre(run);
  const functionsOf = (effect: string) => functionsWith(effects[effect], providers, atWork);
  const happened = Object.keys(effects).filter((effect) =>
    [...(counts.get(effect)?.values() ?? [])].some((count) => count > 0),
  );
  // Under a filter, an effect that has not happened at all is that of another consumer. If none has happened, it is not.
  const judged = run.run.filter !== undefined && happened.length > 0 ? happened : Object.keys(effects);
  const verdicts = judged.map((effect) => {
    const functions = functionsOf(effect);
    return judge(effect, {
      sent: [...traffic.sent.values()].flat(),
      counts: counts.get(effect) ?? new Map(),
      expected: options.expect?.[effect],
      parked: atWork.waiting(functions, parked),
      deadLettered: atWork.waiting(functions, deadLettered),
      waiting: atWork.waiting(functions, queued),
    });
  });
  const empty = emptiness(verdicts, { sent: traffic.sent.size, expectsSome: options.expect === undefined });
  const inDeadLetters = new Set(deadLettered.map(({ intent }) => intent));
  const harmed = verdicts.flatMap((verdict) =>
    harmedOf(verdict, counts.get(verdict.effect) ?? new Map(), journal, inDeadLetters),
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
    notJudged: Object.keys(effects).filter((effect) => !judged.includes(effect)),
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

/** The functions that have an effect; none, if that is not known: a function of the author's counts it, or no function called the provider. */
function functionsWith(
  counted: Counted | undefined,
  providers: readonly ServedProvider[],
  atWork: FunctionsAtWork,
): ReadonlySet<string> {
  if (!isProvider(counted)) return new Set();
  const served = providers.find(({ provider }) => provider === counted);
  return served === undefined ? new Set() : atWork.calling(served.name);
}

/** Which intents have a message in a dead-letter queue, and which one on another queue. */
async function whereMessagesAre({ engine, intents }: Running) {
  const queues = engine.stacks.flatMap((stack) => stack.queues);
  const deadLetterArns = new Set(queues.map(({ deadLetterArn }) => deadLetterArn));
  const deadLettered: Waiting[] = [];
  const queued: Waiting[] = [];
  let deadLetters = 0;
  for (const { name, arn } of queues) {
    const isDeadLetter = deadLetterArns.has(arn);
    const readers = consumersOf(engine).filter(({ queue }) => queue.arn === arn || queue.deadLetterArn === arn);
    const functions = new Set(readers.map(({ mapping }) => mapping.function.construct));
    for (const { body } of await engine.sqs.messages(name)) {
      if (isDeadLetter) deadLetters += 1;
      const named = intents.namedIn(body).map((intent): Waiting => ({ intent, functions }));
      (isDeadLetter ? deadLettered : queued).push(...named);
    }
  }
  return { deadLettered, deadLetters, queued };
}

function harmedOf(
  { effect, doubled, lost, unfinished }: EffectVerdict,
  counts: ReadonlyMap<string, number>,
  journal: Journal,
  deadLettered: ReadonlySet<string>,
): readonly Harmed[] {
  const of = (problem: Harmed['problem'], list: readonly string[]) =>
    list.map((intent) => {
      const times = counts.get(intent) ?? 0;
      const where = deadLettered.has(intent) ? '; its message is in a dead-letter queue' : '';
      const end = `${effect} × ${times}: ${problem}${where}`;
      return { effect, intent, problem, times, story: storyOf(intent, journal, end) };
    });
  return [...of('doubled', doubled), ...of('lost', lost), ...of('unfinished', unfinished)];
}
