import { isPromise } from '../kernel/callable.ts';
import { explained } from '../kernel/error-code.ts';
import { errorKind } from '../kernel/error-kind.ts';
import type { InvalidMessageError } from '../kernel/errors.ts';
import type { KeyValue } from '../kernel/key.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';
import { letFail, propertyOf } from '../kernel/unknown.ts';
import { checkedAttributes } from '../rules/attributes.ts';
import type { Attributes } from '../rules/record.ts';

/** What of the author's code runs before a message has its claim, or decides when it comes back. */
export type Stage = 'envelope' | 'key' | 'schema' | 'fingerprint' | 'attributes' | 'backoffSeconds';

const mostFrames = 10;
const frame = /^ {4}at .+$/;

/** The author's code returned what it must not. The text is pawl's own, and quotes nothing of the message. */
class WrongReturnError extends TypeError {
  override readonly name = 'TypeError';
  /** @internal */
  readonly 'pawl.error' = 'wrong-return';
  constructor(message: string) {
    super(explained(message, 'author-error'));
  }
}

/** What may be reported of an error of the author's: its name, and where it was thrown. Its text may quote the body. */
export function reportable(thrown: unknown): { readonly error: RecordedError; readonly stack: string } {
  const { name, message } = recordedError(thrown);
  if (errorKind(thrown) === 'wrong-return') return { error: { name, message }, stack: '' };
  const said = explained('its text is left out: it may quote the body', 'author-error');
  return { error: { name, message: said }, stack: framesOf(thrown) };
}

/** The frames at the end of a stack. What comes before them is the error's text, which may look like anything. */
function framesOf(thrown: unknown): string {
  try {
    const stack = propertyOf(thrown, 'stack');
    if (typeof stack !== 'string') return '';
    const lines = stack.split('\n');
    const first = lines.findLastIndex((line) => !frame.test(line)) + 1;
    return lines.slice(first, first + mostFrames).join('\n');
  } catch {
    return '';
  }
}

/** Whether an error says that its message can never run. */
export function isInvalidMessage(thrown: unknown): thrown is InvalidMessageError {
  return errorKind(thrown) === 'invalid-message';
}

/** @throws TypeError for what no message can have made: the key function is at fault, for every message */
export function returnedKey(value: KeyValue): KeyValue {
  const isNoKey = isPromise(value) || typeof value === 'function' || typeof value === 'symbol';
  refuse('key', 'text or a number', value, isNoKey);
  return value;
}

/** @throws TypeError unless it is text */
export function returnedIntent(value: string): string {
  refuse('fingerprint', 'text', value, typeof value !== 'string');
  return value;
}

/** @throws TypeError unless they are texts and numbers that fit beside a key */
export function returnedAttributes(value: unknown): Attributes {
  try {
    return checkedAttributes(value);
  } catch (error) {
    // Its text has the names of what was returned, and no values.
    throw new WrongReturnError(recordedError(error).message);
  }
}

/** @throws TypeError unless it is nothing, or a number of seconds */
export function returnedSeconds(value: number | undefined): number | undefined {
  const usable = value === undefined || (typeof value === 'number' && value >= 0);
  refuse('backoffSeconds', 'a number of seconds, 0 or more, or undefined', value, !usable);
  return value;
}

function refuse(option: Stage, expected: string, value: unknown, refused: boolean): void {
  if (!refused) return;
  // What an async function returned may fail later, and nothing else would handle that.
  letFail(value);
  const came = isPromise(value) ? 'a promise' : Number.isNaN(value) ? 'NaN' : `a value of type ${typeof value}`;
  throw new WrongReturnError(
    `${option}: expected a function that returns ${expected}; it returned ${came}${came === 'a promise' ? '. Make it a function that is not async' : ''}`,
  );
}
