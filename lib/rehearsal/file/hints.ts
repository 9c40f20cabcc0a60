import type { Consumer } from '../rehearsal.ts';
import type { Entry, Journal } from './journal.ts';
import type { EffectVerdict } from './judge.ts';
import type { Harmed, Hint } from './result.ts';
import type { Shortened } from './shorten.ts';
import { entriesOf, short } from './story.ts';

/*
 * Why it happened, where that is known.
 *
 * Each rule names one cause, and looks at what the app says of itself and at what happened to those that came to harm. A rule that is not
 * sure says nothing: the story is there.
 */

/** What the rules look at. */
export interface Facts {
  readonly harmed: readonly Harmed[];
  readonly verdicts: readonly EffectVerdict[];
  readonly journal: Journal;
  readonly consumers: readonly Consumer[];
  /** Whether the app has a claims table of pawl. */
  readonly hasClaims: boolean;
  readonly shortened: readonly Shortened[];
}

/** An intent that came to harm, with what happened to it. */
interface Case extends Harmed {
  readonly entries: readonly Entry[];
}

type Rule = (facts: Facts, cases: readonly Case[]) => readonly Hint[];

/** The hints on a run, those about its harm first. */
export function hintsFor(facts: Facts): readonly Hint[] {
  const cases = facts.harmed.map((one) => ({ ...one, entries: entriesOf(one.intent, facts.journal) }));
  return RULES.flatMap((rule) => rule(facts, cases));
}

const intentsOf = (cases: readonly Case[]) => [...new Set(cases.map(({ intent }) => intent))];

/** One hint about these cases, if there are any. */
function about(name: string, cases: readonly Case[], text: string): readonly Hint[] {
  return cases.length === 0 ? [] : [{ name, text, intents: intentsOf(cases) }];
}

function isOf(entry: Entry, { mapping }: Consumer): boolean {
  return 'construct' in entry && entry.construct === mapping.function.construct;
}

/** The consumer had said that a message failed, and Lambda does not listen. */
const reportsAreOff: Rule = ({ consumers, hasClaims }, cases) =>
  consumers
    .filter(({ mapping }) => !mapping.reportsBatchItemFailures)
    .flatMap((consumer) => {
      const ignored = cases.filter(
        ({ problem, intent, entries }) =>
          problem === 'lost' &&
          entries.some((entry) => entry.kind === 'ended' && isOf(entry, consumer) && entry.failed.has(intent)),
      );
      const fn = short(consumer.mapping.function.construct);
      return about(
        'report-batch-item-failures',
        ignored,
        `${hasClaims ? 'Acknowledged while its claim was held elsewhere or not done' : `${fn} named the message as failed, and it was deleted all the same`}: ReportBatchItemFailures is off on ${short(consumer.construct)}.`,
      );
    });

/** One failure gives the whole batch back, with those that were done. */
const wholeBatchReturns: Rule = (_, cases) => {
  const returned = cases.filter(
    ({ problem, entries }) =>
      problem === 'doubled' &&
      entries.some((entry) => entry.kind === 'ended' && entry.batch > 1 && entry.outcome.kind === 'error'),
  );
  return about(
    'whole-batch',
    returned,
    'The function failed as a whole, so the whole batch came back, with the messages whose effect had happened. Report each message by itself: ReportBatchItemFailures, and batchItemFailures in the response.',
  );
};

const visibilityIsShort: Rule = ({ consumers, shortened }) =>
  consumers.flatMap(({ mapping, queue }) => {
    const original = (logicalId: string, now: number) =>
      shortened.find((one) => one.logicalId === logicalId)?.from ?? now;
    const timeout = original(mapping.function.logicalId, mapping.function.timeoutMs / 1_000);
    const visibility = original(queue.logicalId, queue.visibilitySeconds);
    const window = mapping.windowMs / 1_000;
    if (visibility >= timeout + window) return [];
    const and = window > 0 ? ` and the batching window (${window} s)` : '';
    return [
      {
        name: 'visibility-timeout',
        text: `The visibility timeout of ${short(queue.construct)} (${visibility} s) is shorter than the timeout of ${short(mapping.function.construct)} (${timeout} s)${and}: messages come back while they are handled. AWS recommends six times the timeout, and the window.`,
        intents: [],
      },
    ];
  });

/**
 * Whether a function that had the effect wrote a record. What another function of the app writes for the same intent remembers nothing of this effect.
 */
function isRemembered({ entries }: Case): boolean {
  const constructs = new Map<string, string>();
  const callers = new Set<string>();
  const writers = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'began') constructs.set(entry.sandbox, entry.construct);
    const construct = 'sandbox' in entry && entry.sandbox !== undefined ? constructs.get(entry.sandbox) : undefined;
    if (construct === undefined) continue;
    if (entry.kind === 'called' && entry.result === 'applied') callers.add(construct);
    if (entry.kind === 'stored' && entry.write.result.startsWith('written')) writers.add(construct);
  }
  return [...callers].some((construct) => writers.has(construct));
}

/** No write of the app says that the effect has happened. */
const nothingRemembers: Rule = ({ hasClaims }, cases) => {
  if (hasClaims) return [];
  const forgotten = cases.filter(
    (one) => one.problem === 'doubled' && appliedIn(one.entries).size > 1 && !isRemembered(one),
  );
  return about(
    'no-idempotency',
    forgotten,
    'The function has the effect at each delivery: nothing remembers that it has happened. One line of pawl would: eachMessage({ operation, key, store }, handler).',
  );
};

/** The app remembers in a way that a fault got around. */
const memoryFailed: Rule = ({ hasClaims }, cases) => {
  if (hasClaims) return [];
  const around = cases.filter(
    (one) => one.problem === 'doubled' && appliedIn(one.entries).size > 1 && isRemembered(one),
  );
  return about(
    'idempotency-incomplete',
    around,
    'The function keeps a record, and the effect happened before the record said so, or the record was given up before it had. pawl asks the provider or parks the message then, and does not guess.',
  );
};

/** The record said that the effect had happened, when it had not. */
const recordedTooEarly: Rule = ({ hasClaims }, cases) => {
  if (hasClaims) return [];
  const trusted = cases.filter(
    ({ problem, times, entries }) =>
      problem === 'lost' &&
      times === 0 &&
      entries.some((entry) => entry.kind === 'stored' && entry.isNamed && entry.write.result.startsWith('written')),
  );
  return about(
    'recorded-too-early',
    trusted,
    'The function wrote its record before the effect, died in between, and the next delivery believed the record. A record needs two states, begun and done: pawl has both, and decides what a begun one means.',
  );
};

/** The invocations in which the effect was applied. */
function appliedIn(entries: readonly Entry[]): ReadonlySet<string> {
  const applied = new Set<string>();
  const invocations = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'began') invocations.set(entry.sandbox, (invocations.get(entry.sandbox) ?? 0) + 1);
    if (entry.kind !== 'called' || entry.result !== 'applied') continue;
    applied.add(`${entry.sandbox} ${invocations.get(entry.sandbox ?? '')}`);
  }
  return applied;
}

/** The client of the function's own tried again, within one invocation. */
const clientRetries: Rule = (_, cases) => {
  const retried = cases.filter(({ problem, entries }) => {
    const applied = entries.filter((entry) => entry.kind === 'called' && entry.result === 'applied').length;
    return problem === 'doubled' && applied > 1 && appliedIn(entries).size === 1;
  });
  return about(
    'client-retries',
    retried,
    'One invocation called the provider more than once: its HTTP client tries again after an error or a lost response, and the provider had applied the first call. Send an idempotency key, and use a provider that honours it.',
  );
};

const sentOutsideOfTheWindow: Rule = (_, cases) => {
  const late = cases.filter(
    ({ problem, entries }) =>
      problem === 'doubled' &&
      entries.some((entry) => entry.kind === 'asked' && entry.how.includes('after the deduplication window')),
  );
  return about(
    'deduplication-window',
    late,
    'The producer sent it again after the deduplication window: a FIFO queue forgets a deduplication id after 5 minutes.',
  );
};

const noDeadLetterQueue: Rule = ({ consumers }, cases) =>
  consumers
    .filter(({ queue }) => queue.deadLetterArn === undefined)
    .map(({ queue }) => ({
      name: 'no-dead-letter-queue',
      text: `${short(queue.construct)} has no dead-letter queue: a message that never succeeds comes back until its retention ends, and is gone then.`,
      intents: intentsOf(cases.filter(({ problem }) => problem === 'unfinished')),
    }));

/** A few faults in a row use up a message's receives. */
const fewReceives: Rule = ({ consumers, verdicts }) =>
  consumers.flatMap(({ queue }) => {
    const { maxReceiveCount } = queue;
    if (maxReceiveCount === undefined || maxReceiveCount >= 5) return [];
    const setAside = [...new Set(verdicts.flatMap((verdict) => verdict.setAside))];
    return [
      {
        name: 'max-receive-count',
        text: `maxReceiveCount of ${short(queue.construct)} is ${maxReceiveCount}: kills and faults of others in a batch use up a message's receives. Set 5 or more.`,
        intents: setAside,
      },
    ];
  });

const neverResponds: Rule = ({ journal }) => {
  const ended = Map.groupBy(
    journal.entries.filter((entry) => entry.kind === 'ended'),
    ({ construct }) => construct,
  );
  return Array.from(ended).flatMap(([construct, invocations]) => {
    const late = invocations.filter(({ outcome }) => outcome.kind === 'timed-out');
    if (late.length === 0 || late.length < invocations.length / 2) return [];
    return [
      {
        name: 'timeouts',
        text: `${short(construct)} did not respond before its timeout in ${late.length} of ${invocations.length} invocations.`,
        intents: [],
      },
    ];
  });
};

/** Most of what is parked was never begun: it only shared its worker with a message that was. */
const muchParked: Rule = ({ verdicts, hasClaims }) => {
  const parked = [...new Set(verdicts.flatMap((verdict) => verdict.parked))];
  const intents = Math.max(0, ...verdicts.map((verdict) => verdict.intents));
  if (!hasClaims || parked.length <= intents / 5) return [];
  return [
    {
      name: 'much-parked',
      text: 'More than a fifth is parked. Mark the effect with claim.effect and set concurrency: 1, so that a worker that dies leaves one message in doubt, and not its batch; or ask the provider with reconcile.',
      intents: parked,
    },
  ];
};

const RULES: readonly Rule[] = [
  reportsAreOff,
  wholeBatchReturns,
  clientRetries,
  sentOutsideOfTheWindow,
  nothingRemembers,
  memoryFailed,
  recordedTooEarly,
  visibilityIsShort,
  noDeadLetterQueue,
  fewReceives,
  neverResponds,
  muchParked,
];
