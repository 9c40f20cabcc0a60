/**
 * Finds misspelt options, for the functions and for the constructs alike.
 *
 * Owns: which option is unknown, which known one is nearest, and the sentence about both. Does not own: the names that a door takes (they stand
 * beside its options' type, which TypeScript holds them to), nor the error. It imports where a page is, and nothing else, so that a stack that deploys pawl does not load
 * the runtime for it.
 */

import { pageAt } from './error-code.ts';

/** A name for each option of a type. With `satisfies`, TypeScript refuses a list from which an option is missing. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/** Options by name: the rows of a door, or a list of names. */
export type Names = Readonly<Record<string, unknown>>;

export interface TakenOptions {
  /** The public function or construct, as its caller writes it. */
  readonly door: string;
  /** The names that it takes. */
  readonly known: Names;
  /** The option that holds these options, where they are nested: `unlock` of `withLock`. */
  readonly within?: string;
  /** The page that describes them. */
  readonly docs: string;
}

/** The longest name that a message quotes. */
const longestName = 64;

/** What is wrong with the names of the options, a sentence each; nothing when all are known. `undefined` as a value makes no name known. */
export function unknownOptions(options: object, { door, known, within, docs }: TakenOptions): readonly string[] {
  const names = Object.keys(known);
  const shown = (name: string) => `'${within === undefined ? '' : `${within}.`}${name.slice(0, longestName)}'`;
  return Object.keys(options)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => {
      const nearest = nearestOf(name, names);
      const advice = nearest === undefined ? `It takes ${names.join(', ')}.` : `Did you mean ${shown(nearest)}?`;
      return `${door}: there is no option ${shown(name)}. ${advice} See ${pageAt(docs)}.`;
    });
}

/** The known name that a misspelt one most probably means, if any is near. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits < least && isNear(name, candidate, edits)) {
      nearest = candidate;
      least = edits;
    }
  }
  return nearest;
}

/** A third of the letters may differ; and a name without its unit (`retention`, `timeout`) means the one that has it. */
function isNear(name: string, candidate: string, edits: number): boolean {
  const [one, other] = [name.toLowerCase(), candidate.toLowerCase()];
  const isBeginning = one.length >= 4 && (other.startsWith(one) || one.startsWith(other));
  return isBeginning || edits <= Math.max(one.length, other.length) / 3;
}

/** How many letters have to be added, left out, replaced, or exchanged with their neighbour to make one text of the other. */
function editsBetween(one: string, other: string): number {
  // A key of the caller's data may be of any length, and the work grows with the product of both.
  if (one.length > longestName) return Infinity;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [before, last] = [last, current];
  }
  return last[other.length] ?? Infinity;
}
