import { synchronous } from '../kernel/callable.ts';
import { expect } from '../kernel/check.ts';
import { bytesOf } from '../kernel/text.ts';
import type { Attributes } from './record.ts';

/** A claim costs one write unit as long as its item stays below 1 KB. */
const mostBytes = 1024;

/** What DynamoDB holds of numbers, beside 0. All digits of a double fit: it has 17, and DynamoDB 38. */
const least = 1e-130;
const tooLarge = 1e126;

function isHeld(value: unknown): boolean {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return value === 0 || (size >= least && size < tooLarge);
}

/**
 * What is kept beside a key, from its first grant on.
 *
 * @throws OptionError for a promise, which holds none, and unless they are well-formed texts and numbers that DynamoDB holds, and at most 1,024 bytes of JSON
 */
export function checkedAttributes(returned: unknown): Attributes {
  const given = synchronous('attributes', returned);
  const isFields = typeof given === 'object' && given !== null;
  // A copy: every write of the record carries them, and the handler may change the object that they came from. A value that DynamoDB
  // cannot hold would then keep the completion from being written, after the effect.
  const attributes = isFields ? { ...given } : undefined;
  const fit =
    attributes !== undefined &&
    Object.keys(attributes).every((name) => name !== '' && name.isWellFormed()) &&
    Object.values(attributes).every((value) => (typeof value === 'string' ? value.isWellFormed() : isHeld(value))) &&
    bytesOf(JSON.stringify(attributes)) <= mostBytes;
  // Their names only: what rides with a key may be personal.
  const shown = attributes ? Object.keys(attributes).join(', ').slice(0, 200) : typeof given;
  const expected = `well-formed texts, and numbers that DynamoDB holds; at most ${mostBytes} bytes in all`;
  expect(fit, 'attributes', expected, shown);
  return attributes as Attributes;
}
