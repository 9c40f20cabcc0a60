import { InvalidMessageError } from './errors.ts';
import { letFail } from './unknown.ts';

/** What a key function may return. A missing key may be returned: such an input never runs. */
export type KeyValue = string | number | undefined | null;

/** What a template makes of what is no field: every input would have that text in its key. */
const madeByTemplates = {
  '[object Object]': 'an object',
  '[object Promise]': 'a promise',
  '[object ': 'an object',
  'Invalid Date': 'a date that is none',
} as const;

/**
 * A value that identifies something, as text.
 *
 * @param what names the value in the error: `the key`
 * @param missing says what of the input is missing, if that is known
 * @throws InvalidMessageError when it is missing, blank, or nothing that identifies anything
 */
export function identifyingText(value: unknown, what: string, missing?: () => string | undefined): string {
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
    const why = missing?.();
    throw new InvalidMessageError('missing-key', `${what} is missing or empty${why === undefined ? '' : `: ${why}`}`);
  }
  // A number beyond 2^53 was rounded by JSON.parse: two keys may have become one. A lone surrogate becomes the same
  // character as any other one in UTF-8, which is what DynamoDB and SHA-256 see.
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && value.isWellFormed()) {
    const made = Object.entries(madeByTemplates).find(([text]) => value.includes(text));
    if (made === undefined) return value;
    const [text, of] = made;
    throw new InvalidMessageError(
      'invalid-key',
      `${what} is a text with '${text}' in it; expected the text of a field: ${of} was put into a template`,
    );
  }
  // The promise of an async function is no key; nothing will wait for it.
  letFail(value);
  const isPromise = value instanceof Promise;
  const given = isPromise ? 'a promise' : typeof value === 'number' ? value : `of type ${typeof value}`;
  throw new InvalidMessageError(
    'invalid-key',
    `${what} is ${given}; expected well-formed text or a safe integer${isPromise ? ', at once: a function that is not async' : ''}`,
  );
}
