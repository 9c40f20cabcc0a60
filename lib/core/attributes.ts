import { expect } from './check.ts';
import type { Attributes } from './record.ts';
import type { ClaimStore } from './store.ts';
import { bytesOf } from './text.ts';

/** A claim costs one write unit as long as its item stays below 1 KB. */
const mostBytes = 1024;

/**
 * A claim store through which every claim that is new gets these attributes. What a key was first granted with stays with it.
 *
 * @throws OptionError unless they are texts and numbers, and at most 1,024 bytes of JSON
 */
export function withAttributes(store: ClaimStore, attributes: Attributes): ClaimStore {
  const values = Object.values(Object(attributes));
  const kept = values.every((value) => typeof value === 'string' || Number.isFinite(value));
  const fit = kept && bytesOf(JSON.stringify(attributes)) <= mostBytes;
  // Their names only: what rides with a key may be nobody else's business.
  expect(fit, 'attributes', `texts and finite numbers, at most ${mostBytes} bytes in all`, Object.keys(attributes));
  return {
    read: (id) => store.read(id),
    write: ({ next, seen }) => store.write({ next: next.attributes ? next : { ...next, attributes }, seen }),
  };
}
