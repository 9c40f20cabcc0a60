import { about, type Case, type Facts, type Rule } from './hint-rule.ts';
import type { Entry } from './journal.ts';
import { short } from './story.ts';

/* What can be wrong with how a handler goes through its event: what it does not wait for, and what it leaves out. */

type Ended = Extract<Entry, { kind: 'ended' }>;

/** The handler responds before its effect has happened, and its sandbox is frozen then. */
export const missingAwait: Rule = (facts, cases) => {
  const late = functionsThatAreLate(facts);
  const lost = cases.filter((one) => isNotAwaited(one, late));
  const names = [...new Set(lost.flatMap(({ entries }) => constructsOf(entries)).filter((name) => late.has(name)))];
  return about(
    'missing-await',
    lost,
    `${names.map(short).join(' and ')} responds before its calls have ended: some came after the response, when another invocation had thawed the sandbox, and the others never. A promise is not awaited; forEach awaits none.`,
  );
};

/** Whether the effect of a case was not awaited, as far as can be told. */
export function isNotAwaited({ problem, intent, entries }: Case, late: ReadonlySet<string>): boolean {
  if (problem !== 'lost') return false;
  const ended = entries.find((entry): entry is Ended => entry.kind === 'ended' && late.has(entry.construct));
  if (ended === undefined || ended.outcome.kind !== 'response' || ended.failed.has(intent)) return false;
  return !entries
    .slice(0, entries.indexOf(ended))
    .some((entry) => entry.kind === 'called' && entry.intents.includes(intent));
}

/** The functions that called a provider for an intent after they had responded for it. */
export function functionsThatAreLate({ journal }: Pick<Facts, 'journal'>): ReadonlySet<string> {
  const constructs = new Map<string, string>();
  const working = new Map<string, ReadonlySet<string>>();
  const done = new Map<string, Set<string>>();
  const late = new Set<string>();
  for (const entry of journal.entries) {
    if (entry.kind === 'began') {
      constructs.set(entry.sandbox, entry.construct);
      working.set(entry.sandbox, new Set(entry.intents));
    }
    if (entry.kind === 'ended') {
      working.delete(entry.sandbox);
      const responded = done.get(entry.sandbox) ?? new Set<string>();
      done.set(entry.sandbox, responded);
      // What has timed out or failed may well go on.
      if (entry.outcome.kind === 'response')
        for (const intent of entry.intents) if (!entry.failed.has(intent)) responded.add(intent);
    }
    if (entry.kind !== 'called' || entry.sandbox === undefined) continue;
    const { sandbox } = entry;
    const isLate = entry.intents.some((intent) => done.get(sandbox)?.has(intent) && !working.get(sandbox)?.has(intent));
    const construct = constructs.get(sandbox);
    if (isLate && construct !== undefined) late.add(construct);
  }
  return late;
}

function constructsOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'began' ? [entry.construct] : []));
}

/** An invocation with several messages, and those of them for which it did anything. */
interface Batch {
  readonly construct: string;
  readonly intents: readonly string[];
  readonly touched: Set<string>;
}

/** The handler works on one message of its event, and leaves the others out. */
export const oneOfTheBatch: Rule = ({ journal }, cases) => {
  const byFunction = Map.groupBy(batchesOf(journal.entries), ({ construct }) => construct);
  return [...byFunction].flatMap(([construct, batches]) => {
    const place = (['first', 'last'] as const).find((which) => batches.every((batch) => isOnly(batch, which)));
    if (place === undefined || batches.every(({ touched }) => touched.size === 0)) return [];
    const leftOut = new Set(
      batches.flatMap(({ intents, touched }) => intents.filter((intent) => !touched.has(intent))),
    );
    return about(
      'one-of-the-batch',
      cases.filter(({ problem, intent }) => problem === 'lost' && leftOut.has(intent)),
      `${short(construct)} has the effect for the ${place} message of an event only: of ${batches.length === 1 ? 'one event' : `${batches.length} events`} with more than one message, no other was worked on. Go through all of event.Records.`,
    );
  });
};

function isOnly({ intents, touched }: Batch, which: 'first' | 'last'): boolean {
  const one = which === 'first' ? intents[0] : intents.at(-1);
  return touched.size === 0 || (touched.size === 1 && one !== undefined && touched.has(one));
}

/** The invocations that had several messages, and responded. */
function batchesOf(entries: readonly Entry[]): readonly Batch[] {
  const batches: Batch[] = [];
  const working = new Map<string, Batch>();
  for (const entry of entries) {
    if (entry.kind === 'began') {
      working.delete(entry.sandbox);
      const intents = [...entry.receives.keys()];
      if (intents.length > 1) working.set(entry.sandbox, { construct: entry.construct, intents, touched: new Set() });
    }
    const batch = 'sandbox' in entry ? working.get(entry.sandbox ?? '') : undefined;
    if (batch === undefined) continue;
    if (entry.kind === 'called' || (entry.kind === 'stored' && entry.isNamed)) {
      for (const intent of entry.intents) batch.touched.add(intent);
    }
    if (entry.kind !== 'ended') continue;
    working.delete(entry.sandbox);
    if (entry.outcome.kind === 'response' && entry.failed.size === 0) batches.push(batch);
  }
  return batches;
}
