import type { Journal } from './journal.ts';

/*
 * Which function has an effect, and what waits for which function.
 *
 * Several functions may work on one intent, each with an effect of its own. What waits for one of them is no excuse for the effect of another
 * one, which would otherwise be lost without a word.
 */

/** An intent that waits somewhere: in a claim, or in a message. */
export interface Waiting {
  readonly intent: string;
  /** The functions that it waits for; none, if that is not known. */
  readonly functions: ReadonlySet<string>;
}

/** The functions of an app as a journal shows them, each by its construct. */
export interface FunctionsAtWork {
  readonly of: (sandbox: string | undefined) => string | undefined;
  /** Those that called a provider for an effect. */
  calling(provider: string): ReadonlySet<string>;
  /** Those that wrote the record of a claim. */
  writing(claim: string): ReadonlySet<string>;
  /** The intents that wait for one of these functions, or for one before them that has not handed the intent on. */
  waiting(functions: ReadonlySet<string>, all: readonly Waiting[]): ReadonlySet<string>;
}

export function functionsAtWork({ entries }: Journal): FunctionsAtWork {
  const constructs = new Map<string, string>();
  const callers = new Map<string, Set<string>>();
  const writers = new Map<string, Set<string>>();
  const begun = new Map<string, Set<string>>();
  const of = (sandbox: string | undefined) => (sandbox === undefined ? undefined : constructs.get(sandbox));
  for (const entry of entries) {
    if (entry.kind === 'began') {
      constructs.set(entry.sandbox, entry.construct);
      for (const intent of entry.intents) add(begun, intent, entry.construct);
    }
    if (entry.kind === 'called') add(callers, entry.provider, of(entry.sandbox));
    if (entry.kind === 'stored' && entry.write.result.startsWith('written')) {
      add(writers, entry.write.key, of(entry.sandbox));
    }
  }
  return {
    of,
    calling: (provider) => callers.get(provider) ?? new Set(),
    // What is put whole has another text behind its id.
    writing: (claim) =>
      new Set(
        [...writers].filter(([key]) => key === claim || key.startsWith(`${claim} `)).flatMap(([, by]) => [...by]),
      ),
    waiting(functions, all) {
      const isOne = (construct: string) => functions.has(construct);
      const waits = all.filter(
        (one) =>
          functions.size === 0 ||
          one.functions.size === 0 ||
          [...one.functions].some(isOne) ||
          ![...(begun.get(one.intent) ?? [])].some(isOne),
      );
      return new Set(waits.map(({ intent }) => intent));
    },
  };
}

function add(sets: Map<string, Set<string>>, name: string, construct: string | undefined): void {
  if (construct === undefined) return;
  const found = sets.get(name);
  if (found === undefined) sets.set(name, new Set([construct]));
  else found.add(construct);
}
