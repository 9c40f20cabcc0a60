import { warnInLambda } from '../kernel/memory-in-lambda.ts';
import type { StoredRecord } from './record.ts';
import { type LockStore, type OperatesLocks, unchanged } from './store.ts';

/** A lock store in this process's memory, with a look inside for tests. */
export interface MemoryLockStore extends LockStore, OperatesLocks {
  /** All records, as copies. */
  records(): readonly StoredRecord[];
}

/**
 * A lock store in this process's memory: for unit tests, and for nothing else, since another process knows nothing of it.
 *
 * @param most how many records a write takes, 2 or more: the lock and a resource; a small number makes small sets take the way of large ones
 * @example
 * const locks = resourceLocks({ store: memoryLockStore() });
 */
export function memoryLockStore({ most = 100 }: { readonly most?: number } = {}): MemoryLockStore {
  const records = new Map<string, StoredRecord>();
  const store: MemoryLockStore = {
    most,
    async read(ids) {
      return ids.map((id) => records.get(id));
    },
    async write(writes) {
      warnInLambda('memoryLockStore', 'dynamoLockStore');
      if (writes.length > most) throw new Error(`${writes.length} writes at once; at most ${most} are taken`);
      const found = writes.map(({ next }) => records.get(next.id));
      if (!writes.every(({ seen }, index) => unchanged(seen, found[index]))) return { applied: false, found };
      for (const { next } of writes) records.set(next.id, next);
      return { applied: true };
    },
    records: () => [...records.values()],
    update: (one) => store.write([one]),
    async listPlace({ place, until, limit, after }) {
      const entries = [...records.values()]
        .flatMap((one) => (one.kind === 'lock' && one.open === place ? { id: one.id, firstSeenAt: one.since } : []))
        .filter(({ firstSeenAt }) => firstSeenAt <= until)
        .sort((a, b) => a.firstSeenAt - b.firstSeenAt || (a.id < b.id ? -1 : 1));
      const from = after === undefined ? 0 : entries.findIndex(({ id }) => id === after.id) + 1;
      const page = entries.slice(from, from + limit);
      return { entries: page, after: from + limit < entries.length ? page.at(-1) : undefined };
    },
  };
  return store;
}
