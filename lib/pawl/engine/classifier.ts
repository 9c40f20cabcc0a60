import { isPromise } from '../kernel/callable.ts';
import type { Classification } from '../kernel/errors.ts';
import { nearestOf } from '../kernel/unknown-option.ts';
import { warnOnce } from '../kernel/warn-once.ts';

type Classify = (error: unknown) => Classification | undefined;

const known: readonly unknown[] = ['retryable', 'rejected', 'unknown', undefined] satisfies (
  | Classification
  | undefined
)[];
const names = known.filter((one) => typeof one === 'string');

/**
 * The author's classifier, which says, once in a cold start, that it throws or returns what is none of the known words. Both count as nothing said
 * (`effectOf`): without a word, every error would be in doubt, as if there were no classifier.
 */
export function sayingMistakes(classify: Classify, operation: string): Classify {
  function warn(did: string, came: string, meant: string | undefined): void {
    const expected = `expected ${names.map((name) => `'${name}'`).join(', ')} or undefined`;
    const toDo = meant === undefined ? 'Such an error counts as unknown' : `Did you mean '${meant}'?`;
    warnOnce(
      'author-error',
      `${operation} classify ${did}`,
      `classify of '${operation}': ${expected}; it ${did} ${came}. ${toDo}`,
    );
  }
  return (error) => {
    let said: Classification | undefined;
    try {
      said = classify(error);
    } catch (failure) {
      warn('threw', 'an error', undefined);
      throw failure;
    }
    // What it returned is not quoted: it may be the text of the error.
    const came = isPromise(said)
      ? 'a promise'
      : typeof said === 'string'
        ? 'another text'
        : `a value of type ${typeof said}`;
    if (!known.includes(said)) warn('returned', came, typeof said === 'string' ? nearestOf(said, names) : undefined);
    return said;
  };
}
