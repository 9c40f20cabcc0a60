import { type Finding, findingPrefix } from './finding.ts';

/** The key of a remedy's claim: what tells its finding from all others. A finding has one remedy, however often it is found, and whoever runs it. */
export function remedyKey({ id }: Pick<Finding, 'id'>): string {
  return id.slice(findingPrefix().length);
}
