import { explainedError, RetryableError } from '../kernel/errors.ts';

/**
 * The messages of an outbox that the function of a commit has made are among what it returned.
 *
 * @throws RetryableError when one is not: it would be lost without a word
 */
export function expectReturned(made: ReadonlySet<object>, returned: readonly unknown[]): void {
  const kept = new Set(returned);
  if ([...made].every((one) => kept.has(one))) return;
  const said = 'a message of an outbox was made in the function of a commit, and not returned';
  throw explainedError(RetryableError, `${said}. Return it, by itself or in a list`, 'not-committed');
}
