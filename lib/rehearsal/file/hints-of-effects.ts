import { about, type Case, type Facts, isLookedAt, type Rule } from './hint-rule.ts';
import { functionsThatAreLate, isNotAwaited } from './hints-of-handlers.ts';
import { areCopiesApart, isExplained } from './hints-of-records.ts';
import type { Entry } from './journal.ts';

/* What can be wrong inside of a function: what it remembers, and when it has its effect. */

/** Functions have taken the messages, and none has called the provider: the file may count what the app does not do. */
export const neverCalled: Rule = ({ uncalledOf }, cases) =>
  [...Map.groupBy(cases, ({ effect }) => effect)].flatMap(([effect, all]) => {
    const provider = uncalledOf(effect);
    if (provider === undefined) return [];
    return about(
      'provider-never-called',
      all.filter(({ problem, intent, entries }) => problem === 'lost' && isTaken(intent, entries)),
      `No function has called ${provider}, which counts the effect ${effect}. Is ${provider} the environment variable from which the function has the address, does the app have this effect, and does it await the call? An effect of another kind is counted by rows, or by a function of the rehearsal file.`,
    );
  });

/** Whether a function said of it that all was well. */
function isTaken(intent: string, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) =>
      entry.kind === 'ended' &&
      entry.intents.includes(intent) &&
      entry.outcome.kind === 'response' &&
      !entry.failed.has(intent),
  );
}

/** The provider failed, and the function said that all was well. */
export const swallowed: Rule = (_, cases) => {
  const silent = cases.filter(({ problem, times, intent, entries }) => {
    const last = entries.findLastIndex((entry) => entry.kind === 'called' && entry.intents.includes(intent));
    const call = entries[last];
    if (problem !== 'lost' || times > 0 || call?.kind !== 'called' || call.result !== 'not-applied') return false;
    const ended = entries.slice(last).find((entry) => entry.kind === 'ended' && entry.sandbox === call.sandbox);
    return ended?.kind === 'ended' && ended.outcome.kind === 'response' && !ended.failed.has(intent);
  });
  return about(
    'failure-swallowed',
    silent,
    'The provider refused or failed, and the function responded as if all were done: it catches the error. Throw it, or name the message in batchItemFailures.',
  );
};

/**
 * Whether a function that had the effect wrote a record at which it looks. What another function of the app writes for the same intent remembers nothing
 * of this effect.
 */
function isRemembered({ entries }: Case, facts: Facts): boolean {
  const constructs = new Map<string, string>();
  const callers = new Set<string>();
  const writers = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'began') constructs.set(entry.sandbox, entry.construct);
    const construct = 'sandbox' in entry && entry.sandbox !== undefined ? constructs.get(entry.sandbox) : undefined;
    if (construct === undefined) continue;
    if (entry.kind === 'called' && entry.result === 'applied') callers.add(construct);
    if (entry.kind === 'stored' && isWritten(entry) && isLookedAt(entry.write, construct, facts))
      writers.add(construct);
  }
  return [...callers].some((construct) => writers.has(construct));
}

function isWritten({ write }: Extract<Entry, { kind: 'stored' }>): boolean {
  return write.result.startsWith('written');
}

/** No write of the app says that the effect has happened, or nothing looks at it. */
export const nothingRemembers: Rule = (facts, cases) => {
  if (facts.hasClaims) return [];
  const forgotten = cases.filter(
    (one) =>
      one.problem === 'doubled' &&
      (appliedIn(one.entries).size > 1 || isEachCopy(one.entries)) &&
      !isRemembered(one, facts) &&
      !isExplained(one, facts) &&
      // What it has seen there is not known.
      !one.entries.some((entry) => entry.kind === 'began' && facts.mayRemember(entry.construct)),
  );
  return about(
    'no-idempotency',
    forgotten,
    'The function has the effect at each delivery: nothing that it looks at remembers that it has happened. One line of pawl would: eachMessage({ operation, key, store }, handler).',
  );
};

/** The app remembers in a way that a fault got around. */
export const memoryFailed: Rule = (facts, cases) => {
  if (facts.hasClaims) return [];
  const around = cases.filter(
    (one) =>
      one.problem === 'doubled' &&
      appliedIn(one.entries).size > 1 &&
      isRemembered(one, facts) &&
      !isExplained(one, facts),
  );
  return about(
    'idempotency-incomplete',
    around,
    'The function keeps a record, and the effect happened before the record said so, or the record was given up before it had. pawl asks the provider or parks the message then, and does not guess.',
  );
};

/** The record said that the effect had happened, when it had not. */
export const recordedTooEarly: Rule = (facts, cases) => {
  if (facts.hasClaims) return [];
  const late = functionsThatAreLate(facts);
  const trusted = cases.filter(
    (one) => !isNotAwaited(one, late) && one.problem === 'lost' && one.times === 0 && isBelieved(one, facts),
  );
  return about(
    'recorded-too-early',
    trusted,
    'The function wrote its record before the effect, died in between, and the next delivery believed the record. A record needs two states, begun and done: pawl has both, and decides what a begun one means.',
  );
};

/** Whether an invocation called nothing and said that all was done, when its function had written a record at which it looks. */
function isBelieved({ intent, entries }: Case, facts: Facts): boolean {
  const working = new Map<string, { readonly construct: string; hasCalled: boolean }>();
  const written = new Set<string>();
  return entries.some((entry) => {
    if (entry.kind === 'began') working.set(entry.sandbox, { construct: entry.construct, hasCalled: false });
    const work = 'sandbox' in entry && entry.sandbox !== undefined ? working.get(entry.sandbox) : undefined;
    if (work === undefined) return false;
    if (entry.kind === 'called' && entry.intents.includes(intent)) work.hasCalled = true;
    if (
      entry.kind === 'stored' &&
      entry.isNamed &&
      isWritten(entry) &&
      isLookedAt(entry.write, work.construct, facts)
    ) {
      written.add(work.construct);
    }
    if (entry.kind !== 'ended' || entry.outcome.kind !== 'response' || entry.failed.has(intent)) return false;
    return written.has(work.construct) && !work.hasCalled;
  });
}

/** The client of the function's own tried again, within one invocation. Two copies in one batch are no such thing. */
export const clientRetries: Rule = (_, cases) => {
  const retried = cases.filter(
    ({ problem, entries }) =>
      problem === 'doubled' &&
      appliedCalls(entries).length > 1 &&
      appliedIn(entries).size === 1 &&
      hasFaultedCall(entries),
  );
  return about(
    'client-retries',
    retried,
    'One invocation called the provider more than once: its HTTP client tries again after an error or a lost response, and the provider had applied the first call. Send an idempotency key, and use a provider that honours it.',
  );
};

/** One invocation called the provider more than once, and no call looked as if it had failed: the function calls so. */
export const calledTwice: Rule = (_, cases) => {
  const twice = cases.filter(
    ({ problem, entries }) =>
      problem === 'doubled' &&
      appliedCalls(entries).length > 1 &&
      appliedIn(entries).size === 1 &&
      sends(entries) <= 1 &&
      !hasFaultedCall(entries),
  );
  const calls = new Set(twice.flatMap(({ entries }) => appliedCalls(entries).map(({ call }) => call)));
  return about(
    'called-twice',
    twice,
    `One invocation called the provider more than once, and no call had failed: ${[...calls].slice(0, 3).join(', ')}. If they are not the same effect, tell them apart by \`intent\` of the provider.`,
  );
};

/** Whether pawl only observed the function: it decided nothing. */
function isObserved({ entries }: Case): boolean {
  return entries.some((entry) => entry.kind === 'stored' && entry.write.isObserved === true);
}

/** pawl was to change nothing, and has not. */
export const onlyObserved: Rule = ({ hasClaims }, cases) =>
  about(
    'only-observed',
    cases.filter((one) => hasClaims && one.problem === 'doubled' && isObserved(one)),
    "pawl only observes here, by mode: 'observe' or a share of the keys: each delivery runs, as without pawl. pawl observed says what enforcement would have done.",
  );

/** Each copy of it had a claim of its own. */
export const claimOfTheCopy: Rule = ({ hasClaims }, cases) => {
  const apart = cases.filter((one) => {
    const stored = one.entries.filter((entry) => entry.kind === 'stored');
    const isApart = stored.length > 0 && !stored.some(({ isNamed }) => isNamed) && areCopiesApart(one);
    return one.problem === 'doubled' && sends(one.entries) > 1 && isApart && !isObserved(one);
  });
  return about(
    'claim-of-the-copy',
    hasClaims ? apart : [],
    'It was sent more than once, and no claim names it: the key differs from copy to copy, as a message id does. Take the key from what the copies share, such as bodyField.',
  );
};

/** pawl runs in the function, and the effect happens outside of the handler that it runs. */
export const outsideOfTheClaim: Rule = ({ hasClaims }, cases) => {
  const outside = cases.filter(
    (one) =>
      one.problem === 'doubled' &&
      // What is observed is written down beside the handler, and not before it.
      !isObserved(one) &&
      one.entries.some((entry) => entry.kind === 'stored' && entry.isNamed) &&
      one.entries.some((entry, at) => isUnclaimed(entry, one.entries.slice(0, at))),
  );
  return about(
    'outside-of-the-claim',
    hasClaims ? outside : [],
    'An invocation had the effect before it wrote a claim for it: the call stands outside of the handler that pawl runs, or in a function without pawl. Move it inside.',
  );
};

/** Whether a call had its effect in an invocation that had written no record of it by then. */
function isUnclaimed(entry: Entry, before: readonly Entry[]): boolean {
  if (entry.kind !== 'called' || entry.result !== 'applied') return false;
  const { sandbox } = entry;
  const began = before.findLastIndex((one) => one.kind === 'began' && one.sandbox === sandbox);
  const claimed = before
    .slice(began + 1)
    .some((one) => one.kind === 'stored' && one.sandbox === sandbox && one.write.result.startsWith('written'));
  return began >= 0 && !claimed;
}

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

function appliedCalls(entries: readonly Entry[]) {
  return entries.filter((entry) => entry.kind === 'called').filter(({ result }) => result === 'applied');
}

/** How often it was sent, or asked for. */
function sends(entries: readonly Entry[]): number {
  return entries.filter(({ kind }) => kind === 'asked').length;
}

/** Whether a call that was applied looked to its caller as if it had failed. */
function hasFaultedCall(entries: readonly Entry[]): boolean {
  return appliedCalls(entries).some(({ fault }) => fault !== undefined);
}

/** Several copies met in one invocation, and each had the effect, although no call had failed. */
function isEachCopy(entries: readonly Entry[]): boolean {
  return sends(entries) > 1 && appliedCalls(entries).length > 1 && !hasFaultedCall(entries);
}
