/*
 * Which intents a text names.
 *
 * An intent is the name under which an effect is to happen once: `order-17`. It stands in the body of the message, in the key of a record,
 * in the request to a provider. So a text that has it as a whole word is about it, whatever the app is.
 */

/** The intents of a run, as far as they are known by now. */
export interface Intents {
  add(intent: string): void;
  readonly all: ReadonlySet<string>;
  /** The intents that a text names, in the order in which it names them. */
  namedIn(text: string): readonly string[];
}

/** What an intent of usual characters is a run of. */
const WORD = /[\w.@+-]+/g;
const IS_WORD = /^[\w.@+-]+$/;

export function createIntents(): Intents {
  const all = new Set<string>();
  /** Those that are no single word: each is looked for by itself. */
  const others = new Set<string>();
  return {
    all,
    add(intent) {
      all.add(intent);
      if (!IS_WORD.test(intent)) others.add(intent);
    },
    namedIn(text) {
      const found = new Set<string>();
      for (const [word] of text.matchAll(WORD)) {
        if (all.has(word)) found.add(word);
        // At the end of a sentence.
        else if (word.endsWith('.') && all.has(word.slice(0, -1))) found.add(word.slice(0, -1));
      }
      for (const other of others) if (hasWhole(text, other)) found.add(other);
      return [...found];
    },
  };
}

function hasWhole(text: string, intent: string): boolean {
  for (let at = text.indexOf(intent); at !== -1; at = text.indexOf(intent, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + intent.length]];
    if (!/\w/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}
