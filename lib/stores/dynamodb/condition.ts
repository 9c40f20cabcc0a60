import type { ClaimRecord } from '../../claims/record.ts';
import { identity, identityBeforeRevisions } from '../../claims/store.ts';

/**
 * `unchanged`, in DynamoDB's language: the condition under which a write may replace the record that was seen.
 *
 * @returns the expression and its names; the values by placeholder, as they are, for the caller's marshalling
 */
export function conditionOf(seen: ClaimRecord | undefined) {
  if (seen === undefined) return { expression: 'attribute_not_exists(id)' };
  const compared = comparedOf(seen);
  const equal = compared.map((name) => `#${name} = :${name}`);
  return {
    expression: [...equal, ...(hasRevision(seen) ? [] : ['attribute_not_exists(rev)'])].join(' AND '),
    names: Object.fromEntries(compared.map((name) => [`#${name}`, name])),
    values: Object.fromEntries(compared.map((name) => [`:${name}`, seen[name]])),
  };
}

/** The attributes whose values a write compares. */
export function comparedOf(seen: ClaimRecord): readonly (keyof ClaimRecord)[] {
  return hasRevision(seen) ? identity : identityBeforeRevisions;
}

/** If not, the record that is replaced may have no revision either. */
export function hasRevision(seen: ClaimRecord): boolean {
  return seen.rev !== undefined;
}
