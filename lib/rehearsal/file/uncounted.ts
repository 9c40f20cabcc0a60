import type { Counted } from './effects.ts';
import type { Entry, Journal } from './journal.ts';
import type { EffectVerdict } from './judge.ts';
import { isProvider, type Provider } from './providers.ts';
import type { ServedProvider } from './serve-provider.ts';

/*
 * Effects that may have happened, and that cannot be counted: the calls for them name no intent. To call them lost would accuse an app of what the
 * rehearsal cannot see.
 */

/** The calls of a provider that name no intent. */
type Unnamed = Extract<Entry, { kind: 'unnamed' }>;

/** How many intents are named as examples. */
const examples = 3;

export interface UncountedFacts {
  readonly effects: Readonly<Record<string, Counted>>;
  readonly providers: readonly ServedProvider[];
  readonly journal: Journal;
}

/** The verdicts without a word about what cannot be counted, and why it cannot. */
export function withoutUncounted(
  verdicts: readonly EffectVerdict[],
  { effects, providers, journal }: UncountedFacts,
): { readonly verdicts: readonly EffectVerdict[]; readonly reasons: readonly string[] } {
  const reasons: string[] = [];
  const judged = verdicts.map((verdict) => {
    const counted = effects[verdict.effect];
    const served = providers.find(({ provider }) => provider === counted);
    if (served === undefined || !isProvider(counted)) return verdict;
    const beside = callsBeside(journal, served.name);
    const calls = journal.entries
      .filter((entry) => entry.kind === 'unnamed')
      .filter(({ provider, call }) => provider === served.name && !beside.has(call));
    // A function of the file that knows some of the calls says of the others that they ask for nothing.
    if (counted.options.intent !== undefined && served.counts.size > 0) return verdict;
    const isUnknown = calls.some(({ intents }) => intents.length === 0);
    const about = new Set(calls.flatMap(({ intents }) => intents));
    const uncounted = verdict.lost.filter((intent) => isUnknown || about.has(intent));
    if (uncounted.length === 0) return verdict;
    reasons.push(reasonOf(verdict.effect, served, calls, uncounted));
    return { ...verdict, lost: verdict.lost.filter((intent) => !uncounted.includes(intent)), uncounted };
  });
  return { verdicts: judged, reasons };
}

/**
 * The calls that go with those that are counted, such as that for a token: no such call has asked for an effect under any name, and in some invocation each
 * intent had a call of its own besides.
 */
function callsBeside({ entries }: Journal, provider: string): ReadonlySet<string> {
  const counted = new Set<string>();
  const beside = new Set<string>();
  const working = new Map<string, { readonly intents: readonly string[]; named: Set<string>; unnamed: Set<string> }>();
  for (const entry of entries) {
    if (entry.kind === 'began') {
      working.set(entry.sandbox, { intents: entry.intents, named: new Set(), unnamed: new Set() });
    }
    if ((entry.kind !== 'called' && entry.kind !== 'unnamed') || entry.provider !== provider) continue;
    const work = entry.sandbox === undefined ? undefined : working.get(entry.sandbox);
    if (entry.kind === 'unnamed') work?.unnamed.add(entry.call);
    else {
      counted.add(entry.call);
      for (const intent of entry.intents) work?.named.add(intent);
    }
    if (work?.intents.every((intent) => work.named.has(intent))) for (const call of work.unnamed) beside.add(call);
  }
  return new Set([...beside].filter((call) => !counted.has(call)));
}

function reasonOf(
  effect: string,
  { name, provider }: ServedProvider,
  calls: readonly Unnamed[],
  uncounted: readonly string[],
): string {
  const [{ call, fields } = { call: '', fields: [] }] = calls;
  const body =
    fields.length > 0 ? `with the fields ${fields.slice(0, 8).join(', ')}` : 'with a body that is no JSON and no form';
  const some = uncounted.slice(0, examples).join(', ');
  const more = uncounted.length > examples ? ` and ${uncounted.length - examples} more` : '';
  return [
    `${effect} cannot be counted for ${some}${more}:`,
    `${calls.length === 1 ? 'one call' : `${calls.length} calls`} of ${name} ${calls.length === 1 ? 'names' : 'name'} no intent.`,
    `The first is ${call}, ${body}. ${lookedFor(provider)}`,
  ].join(' ');
}

function lookedFor({ options: { intent }, mailer }: Provider): string {
  if (intent !== undefined) return 'The `intent` of the file returned nothing for any call of it.';
  if (mailer?.field !== undefined) return `The rehearsal looked for the field ${mailer.field}, and it has none.`;
  return 'The rehearsal looked for the intents as whole words in its path, its query and its body. Send the intent with the call, or give the provider `intent`, which reads it out of what the call says.';
}
