import type { LockStore, LockWrite, StoredRecord } from '../../../lib/pawl/locks/index.ts';

/** The conditions of each of the writes, each by itself: what stands there is the record that was seen. */
export const conditions = {
  'there is a record exactly if one was seen': ({ seen }, found) => (seen === undefined) === (found === undefined),
  'the revision of a lock is the one that was seen': ({ seen }, found) =>
    seen?.kind !== 'lock' || found?.kind !== 'lock' || found.rev === seen.rev,
  'the fence of a resource is the one that was seen': ({ seen }, found) =>
    seen?.kind !== 'resource' || found?.kind !== 'resource' || found.fence === seen.fence,
} satisfies Record<string, Condition>;

export type Condition = (write: LockWrite, found: StoredRecord | undefined) => boolean;

const most = 10;

/** A lock store over a `Map`, with these conditions on every write. */
export function mapLockStore(held: readonly Condition[]): LockStore {
  const records = new Map<string, StoredRecord>();
  return {
    most,
    read: async (ids) => ids.map((id) => records.get(id)),
    async write(writes) {
      const found = writes.map(({ next }) => records.get(next.id));
      const areHeld = writes.every((write, n) => held.every((condition) => condition(write, found[n])));
      if (!areHeld) return { applied: false, found };
      for (const { next } of writes) records.set(next.id, next);
      return { applied: true };
    },
  };
}

export const rightLockStore = (): LockStore => mapLockStore(Object.values(conditions));
