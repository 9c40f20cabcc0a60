import { InvalidMessageError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { bytesOf } from '../kernel/text.ts';

/**
 * What identifies a resource: a text, or the parts of a composite identity in a fixed order, e.g. `['customer', customerId,
 * 'debt', debtId]`. Parts are kept apart: `['a', 'b#c']` and `['a#b', 'c']` are two resources.
 */
export type Resource = string | readonly [string | number, ...(string | number)[]];

const prefix = '#resource#';
const longestPartitionKeyBytes = 2048;

/**
 * The id of a resource's record. It begins with `#`, which no operation does: locks and claims can share a table.
 *
 * @throws InvalidMessageError when a part is missing, empty, or nothing that identifies anything
 */
export function resourceId(resource: Resource, host: Pick<Host, 'sha256'>): string {
  const parts = Array.isArray(resource) ? resource : [resource];
  if (parts.length === 0) throw new InvalidMessageError('missing-key', 'a resource has no parts');
  const text = parts.map(partText).join('#');
  const plain = prefix + text;
  const fits = bytesOf(plain) <= longestPartitionKeyBytes && !text.startsWith('sha256:');
  return fits ? plain : `${prefix}sha256:${host.sha256(text)}`;
}

function partText(part: unknown): string {
  if (part == null || part === '') {
    throw new InvalidMessageError('missing-key', 'a part of a resource is missing or empty');
  }
  if (Number.isSafeInteger(part)) return String(part);
  if (typeof part === 'string' && part.isWellFormed()) return part.replace(/[%#]/g, encodeURIComponent);
  throw new InvalidMessageError(
    'invalid-key',
    `a part of a resource is of type ${typeof part}; expected well-formed text or a safe integer`,
  );
}
