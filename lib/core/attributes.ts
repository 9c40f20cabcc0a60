import { expect } from './check.ts';
import type { Attributes } from './record.ts';
import { bytesOf } from './text.ts';

/** A claim costs one write unit as long as its item stays below 1 KB. */
const mostBytes = 1024;

/**
 * What is kept beside a key, from its first grant on.
 *
 * @throws OptionError unless they are texts and numbers, and at most 1,024 bytes of JSON
 */
export function checkedAttributes(attributes: unknown): Attributes {
  const isFields = typeof attributes === 'object' && attributes !== null;
  const fit =
    isFields &&
    Object.values(attributes).every((value) => typeof value === 'string' || Number.isFinite(value)) &&
    bytesOf(JSON.stringify(attributes)) <= mostBytes;
  // Their names only: what rides with a key may be personal.
  const given = isFields ? Object.keys(attributes).join(', ').slice(0, 200) : typeof attributes;
  expect(fit, 'attributes', `texts and finite numbers, at most ${mostBytes} bytes in all`, given);
  return attributes as Attributes;
}
