import { expect } from '../kernel/check.ts';
import { bytesOf } from '../kernel/text.ts';
import type { Attributes } from './record.ts';

/** A claim costs one write unit as long as its item stays below 1 KB. */
const mostBytes = 1024;

/**
 * What is kept beside a key, from its first grant on.
 *
 * @throws OptionError unless they are texts and numbers, and at most 1,024 bytes of JSON
 */
export function checkedAttributes(given: unknown): Attributes {
  const isFields = typeof given === 'object' && given !== null;
  // A copy: every write of the record carries them, and the handler may change the object that they came from. A value that DynamoDB
  // cannot hold would then keep the completion from being written, after the effect.
  const attributes = isFields ? { ...given } : undefined;
  const fit =
    attributes !== undefined &&
    Object.values(attributes).every((value) => typeof value === 'string' || Number.isFinite(value)) &&
    bytesOf(JSON.stringify(attributes)) <= mostBytes;
  // Their names only: what rides with a key may be personal.
  const shown = attributes ? Object.keys(attributes).join(', ').slice(0, 200) : typeof given;
  expect(fit, 'attributes', `texts and finite numbers, at most ${mostBytes} bytes in all`, shown);
  return attributes as Attributes;
}
