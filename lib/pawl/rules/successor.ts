import { isOpen, isWatched, placeInIndex } from './open.ts';
import { type ClaimRecord, claimSchema, type Draft } from './record.ts';

/**
 * The record that is to stand in place of `found`. Every transition ends here: a write that left the revision as it was could be
 * mistaken for the state before it, and a late copy of an older write would pass.
 *
 * @param watched whether the draft is a grant that is open while it is in flight. What its owner writes later keeps what its grant said
 */
export function successor(found: ClaimRecord | undefined, draft: Draft, watched = isWatched(found)): ClaimRecord {
  const open = placeInIndex(draft, watched);
  // TTL must not collect a doubt: the next request would find nothing, and run.
  const isInDoubt = draft.status === 'released' && isOpen(draft, false);
  const expiresAt = isInDoubt ? undefined : draft.expiresAt;
  return { ...draft, open, expiresAt, rev: (found?.rev ?? 0) + 1, v: claimSchema };
}
