import { InvalidMessageError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { identifyingText, recordId } from '../kernel/key.ts';

/**
 * What identifies a resource: a text, or the parts of a composite identity in a fixed order, e.g. `['customer', customerId,
 * 'debt', debtId]`. Parts are kept apart: `['a', 'b#c']` and `['a#b', 'c']` are two resources.
 */
export type Resource = string | readonly [string | number, ...(string | number)[]];

/**
 * The id of a resource's record. It begins with `#`, which no operation does: locks and claims can share a table.
 *
 * @throws InvalidMessageError when a part is missing, empty, or nothing that identifies anything
 */
export function resourceId(resource: Resource, host: Pick<Host, 'sha256'>): string {
  const parts = Array.isArray(resource) ? resource : [resource];
  if (parts.length === 0) throw new InvalidMessageError('missing-key', 'a resource has no parts');
  return recordId('#resource#', parts.map(partText).join('#'), host);
}

/** With `#` and `%` escaped, so that the end of a part cannot be taken for a part of its own. */
function partText(part: unknown): string {
  return identifyingText(part, 'a part of a resource').replaceAll('%', '%25').replaceAll('#', '%23');
}
