import { checkedAttributes } from '../claims/attributes.ts';
import type { KeyValue } from '../claims/identity.ts';
import type { Attributes } from '../claims/record.ts';
import { InvalidMessageError, letFail } from '../kernel/errors.ts';
import { type RecordedError, recordedError } from '../kernel/recorded-error.ts';

/** What of the author's code runs before a message has its claim, or decides when it comes back. */
export type Stage = 'key' | 'schema' | 'fingerprint' | 'attributes' | 'backoffSeconds';

const mostFrames = 10;
const frame = /^ {4}at .+$/;

/** The author's code returned what it must not. The text is ours, and says nothing of the message. */
class ReturnedError extends TypeError {
  override readonly name = 'TypeError';
}

/** What may be told of an error of the author's: its name, and where it was thrown. Its text may quote the body. */
export function toldOf(thrown: unknown): { readonly error: RecordedError; readonly stack: string } {
  const { name, message } = recordedError(thrown);
  if (thrown instanceof ReturnedError) return { error: { name, message }, stack: '' };
  return { error: { name, message: 'its text is left out: it may quote the body' }, stack: framesOf(thrown) };
}

/** The frames at the end of a stack. What comes before them is the error's text, which may look like anything. */
function framesOf(thrown: unknown): string {
  try {
    const { stack } = Object(thrown);
    if (typeof stack !== 'string') return '';
    const lines = stack.split('\n');
    const first = lines.findLastIndex((line) => !frame.test(line)) + 1;
    return lines.slice(first, first + mostFrames).join('\n');
  } catch {
    return '';
  }
}

/** Whether it says of the message that it can never run. An error that cannot even be looked at says nothing. */
export function isInvalidMessage(thrown: unknown): thrown is InvalidMessageError {
  try {
    return thrown instanceof InvalidMessageError;
  } catch {
    return false;
  }
}

/** @throws TypeError for what no message can have made: the key function is at fault, for every message */
export function returnedKey(value: KeyValue): KeyValue {
  refuse('key', 'text or a number', value, isPromise(value) || ['function', 'symbol'].includes(typeof value));
  return value;
}

/** @throws TypeError unless it is text */
export function returnedIntent(value: string): string {
  refuse('fingerprint', 'text', value, typeof value !== 'string');
  return value;
}

/** @throws TypeError unless they are texts and numbers that fit beside a key */
export function returnedAttributes(value: unknown): Attributes {
  refuse('attributes', 'texts and finite numbers', value, isPromise(value));
  try {
    return checkedAttributes(value);
  } catch (error) {
    // Of what was returned, it says the names only.
    throw new ReturnedError(recordedError(error).message);
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
  // What an async function returned may fail later, and nobody would handle that.
  letFail(value);
  const came = isPromise(value) ? 'a promise' : Number.isNaN(value) ? 'NaN' : `a value of type ${typeof value}`;
  throw new ReturnedError(`${option}: expected a function that returns ${expected}; it returned ${came}`);
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
