import { findClaims } from '../pawl/find-claims.ts';
import { cutShort } from './cut-short.ts';
import { type Counted, countEffects } from './effects.ts';
import { type FunctionsAtWork, functionsAtWork, type Waiting } from './functions-at-work.ts';
import type { Journal } from './journal.ts';
import { judge } from './judge.ts';
import { isProvider, type Provider } from './providers.ts';
import { consumersOf, type Running, streamConsumersOf } from './running.ts';
import type { ServedProvider } from './serve-provider.ts';
import type { Settled } from './settle.ts';

/** What has become of these effects by now: asks the providers, the tables, the claims and the queues. */
export async function standingOf(
  run: Running,
  effects: Readonly<Record<string, Counted>>,
  { hasRunOut = false, tooSlow }: Partial<Pick<Settled, 'hasRunOut' | 'tooSlow'>> = {},
) {
  const { options, intents, journal, providers, engine, traffic } = run;
  const ofProvider = (provider: Provider) =>
    providers.find((served) => served.provider === provider)?.counts ?? new Map<string, number>();
  const counts = await countEffects(effects, traffic.app, ofProvider, intents);
  const claims = await findClaims(
    engine.dynamo,
    engine.stacks.flatMap(({ tables }) => tables.map(({ name }) => name)),
  );
  const atWork = functionsAtWork(journal);
  const parked = [...claims.parked].flatMap((id) =>
    intents.namedIn(id).map((intent): Waiting => ({ intent, functions: atWork.writing(id) })),
  );
  const { deadLettered, deadLetters, queued } = await whereMessagesAre(run);
  const isCutOff = tooSlow !== undefined;
  const starved = starvedIn(journal, { isCutOff });
  const slowed = slowedIn(journal);
  const short = cutShort(journal, run.shortened);
  const happened = Object.keys(effects).filter((effect) =>
    [...(counts.get(effect)?.values() ?? [])].some((count) => count > 0),
  );
  // Under a filter, an effect that has not happened at all is that of another consumer. If none has happened, it is not.
  const judged = run.run.filter !== undefined && happened.length > 0 ? happened : Object.keys(effects);
  const verdicts = judged.map((effect) => {
    const functions = functionsWith(effects[effect], providers, atWork);
    return judge(effect, {
      sent: [...traffic.sent.values()].flat(),
      counts: counts.get(effect) ?? new Map(),
      expected: options.expect?.[effect],
      parked: atWork.waiting(functions, parked),
      deadLettered: atWork.waiting(functions, deadLettered),
      waiting: atWork.waiting(functions, queued),
      starved,
      slowed,
      cutShort: short.intents,
      hasRunOut,
      isCutOff,
    });
  });
  return { counts, verdicts, claims, deadLettered, deadLetters, short, starved: new Set([...starved, ...slowed]) };
}

/** The intents of which the machine did not give a function its time. Where it was too slow to go on, those that a function was at work on as well. */
export function starvedIn(
  { entries }: Pick<Journal, 'entries'>,
  { isCutOff }: { isCutOff: boolean },
): ReadonlySet<string> {
  const starved = new Set<string>();
  const atWork = new Map<string, readonly string[]>();
  for (const entry of entries) {
    if (entry.kind === 'began') atWork.set(invocationOf(entry), entry.intents);
    if (entry.kind !== 'ended') continue;
    atWork.delete(invocationOf(entry));
    if (entry.machine !== undefined && entry.machine !== 'slowed')
      for (const intent of entry.intents) starved.add(intent);
  }
  if (isCutOff) for (const intent of [...atWork.values()].flat()) starved.add(intent);
  return starved;
}

/** The intents of which the machine gave a function a good part less of its time, although it ended in time: it may have left what it had no time for. */
export function slowedIn({ entries }: Pick<Journal, 'entries'>): ReadonlySet<string> {
  return new Set(entries.flatMap((one) => (one.kind === 'ended' && one.machine === 'slowed' ? one.intents : [])));
}

function invocationOf({ sandbox, batch }: { readonly sandbox: string; readonly batch: number }): string {
  return `${sandbox} ${batch}`;
}

/** The functions that have an effect; none, if that is not known: a function of the author's counts it, or no function called the provider. */
export function functionsWith(
  counted: Counted | undefined,
  providers: readonly ServedProvider[],
  atWork: Pick<FunctionsAtWork, 'calling'>,
): ReadonlySet<string> {
  if (!isProvider(counted)) return new Set();
  const served = providers.find(({ provider }) => provider === counted);
  return served === undefined ? new Set() : atWork.calling(served.name);
}

/** Which intents have a message in a dead-letter queue, and which one on another queue or a record in a stream. */
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
  for (const { waiting, functionConstruct } of streamConsumersOf(engine)) {
    const functions = new Set([functionConstruct]);
    for (const record of await waiting()) {
      queued.push(...intents.namedIn(JSON.stringify(record)).map((intent): Waiting => ({ intent, functions })));
    }
  }
  return { deadLettered, deadLetters, queued };
}
