/*
 * Which intents a text names.
 *
 * An intent is the name under which an effect is to happen once: `order-17`. It stands in the body of the message, in the key of a record,
 * in the request to a provider. So a text that has it as a whole word is about it, whatever the app is.
 *
 * 1. A word is the intent itself, or the intent with an ending: `order-17.pdf`.
 * 2. If a text has none of these, an intent of several parts is looked for inside of its words: `invoice_order-17_final.pdf`.
 * 3. Never a part of a part: `order-170` and `reorder-17` name other things.
 */

/** The intents of a run, as far as they are known by now. */
export interface Intents {
  add(intent: string): void;
  readonly all: ReadonlySet<string>;
  /** The intents that a text names, in the order in which it names them. */
  namedIn(text: string): readonly string[];
}

/** What an intent of usual characters is a run of. */
const word = /[\w.@+-]+/g;
const isWord = /^[\w.@+-]+$/;
const part = /[A-Za-z0-9]+/g;

/** The intents from the inside of this file. */
interface IntentsState {
  readonly all: Set<string>;
  /** Those that are no single word: each is looked for by itself. */
  readonly others: Set<string>;
  /** The most parts that one of several parts has. */
  mostParts: number;
}

export function createIntents(): Intents {
  const state: IntentsState = { all: new Set(), others: new Set(), mostParts: 0 };
  const { all, others } = state;
  return {
    all,
    add(intent) {
      all.add(intent);
      if (!isWord.test(intent)) others.add(intent);
      else if (isOfParts(intent)) state.mostParts = Math.max(state.mostParts, partsOf(intent).length);
    },
    namedIn(given) {
      const text = plain(given);
      const words = [...new Set(text.match(word) ?? [])];
      const found = new Set<string>();
      for (const word of words) {
        const named = namedBy(state, word);
        if (named !== undefined) found.add(named);
      }
      for (const other of others) if (hasWhole(text, other)) found.add(other);
      if (found.size === 0) for (const word of words) for (const named of namedInside(state, word)) found.add(named);
      return [...found];
    },
  };
}

/** The text without the escapes of JSON and of addresses: in `Dear,\norder-1`, the letter before the intent is no letter. */
function plain(text: string): string {
  if (!text.includes('\\') && !text.includes('%')) return text;
  return text
    .replaceAll(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\+[bfnrt]/g, ' ')
    .replaceAll(/%([2-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The intent that a word is: as it is, at the end of a sentence, or with an ending. */
function namedBy({ all }: IntentsState, word: string): string | undefined {
  if (all.has(word)) return word;
  for (let at = word.indexOf('.'); at > 0; at = word.indexOf('.', at + 1)) {
    const stem = word.slice(0, at);
    // `1.5` is a number, and `example.com` a host.
    const isEnding = at === word.length - 1 || (/^[A-Za-z]/.test(word.slice(at + 1)) && /\d/.test(stem));
    if (isEnding && all.has(stem)) return stem;
  }
  return undefined;
}

/** The longest intents of several parts inside of a word. */
function namedInside({ all, mostParts }: IntentsState, word: string): readonly string[] {
  const named: string[] = [];
  const parts = partsOf(word);
  for (let first = 0; first < parts.length; first += 1) {
    const from = parts[first]?.index ?? 0;
    for (let last = Math.min(parts.length, first + mostParts) - 1; last > first; last -= 1) {
      const end = parts[last];
      const inside = word.slice(from, (end?.index ?? 0) + (end?.[0].length ?? 0));
      if (!all.has(inside) || !isOfParts(inside)) continue;
      named.push(inside);
      first = last;
      break;
    }
  }
  return named;
}

function partsOf(word: string) {
  return [...word.matchAll(part)];
}

/** `order-17`, and not `17`, `orders` or `2026-11`: those stand in many words that are about something else. */
function isOfParts(intent: string): boolean {
  return /[A-Za-z]/.test(intent) && /^[A-Za-z0-9].*[^A-Za-z0-9].*[A-Za-z0-9]$/.test(intent);
}

function hasWhole(text: string, intent: string): boolean {
  for (let at = text.indexOf(intent); at !== -1; at = text.indexOf(intent, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + intent.length]];
    if (!/\w/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}
