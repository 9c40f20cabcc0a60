import { InvalidMessageError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { identifyingText } from '../kernel/key.ts';
import { boundedName, ownParts } from '../kernel/name.ts';

/**
 * What identifies a resource: a text, or the parts of a composite identity in a fixed order, e.g. `['customer', customerId,
 * 'debt', debtId]`. Parts are kept apart: `['a', 'b#c']` and `['a#b', 'c']` are two resources.
 *
 * @example
 * const debt: Resource = ['customer', 7, 'debt', 'd-1'];
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
  const texts = parts.map((part: unknown) => identifyingText(part, 'a part of a resource'));
  return boundedName(ownParts('resource'), texts, host);
}
