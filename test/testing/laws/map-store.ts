import type { ClaimRecord, ClaimStore, ClaimWrite } from '../../../lib/index.ts';

/** The conditions of a write, each by itself: what stands there is the record that was seen. */
export const conditions = {
  'there is a record exactly if one was seen': ({ seen }, found) => (seen === undefined) === (found === undefined),
  'its claim id is the one that was seen': ({ seen }, found) => !found || !seen || found.claimId === seen.claimId,
  'its revision is the one that was seen': ({ seen }, found) => !found || !seen || found.rev === seen.rev,
  'without a revision, its status is the one that was seen': ({ seen }, found) =>
    !found || !seen || seen.rev !== undefined || found.status === seen.status,
  'without a revision, its lease is the one that was seen': ({ seen }, found) =>
    !found || !seen || seen.rev !== undefined || found.leaseUntil === seen.leaseUntil,
} satisfies Record<string, Condition>;

export type Condition = (write: ClaimWrite, found: ClaimRecord | undefined) => boolean;

/** A store over a `Map`, with these conditions. */
export function mapStore(held: readonly Condition[]): ClaimStore {
  const records = new Map<string, ClaimRecord>();
  return {
    read: async (id) => records.get(id),
    async write(write) {
      const found = records.get(write.next.id);
      if (!held.every((condition) => condition(write, found))) return { applied: false, found };
      records.set(write.next.id, write.next);
      return { applied: true };
    },
  };
}

export const rightStore = (): ClaimStore => mapStore(Object.values(conditions));
