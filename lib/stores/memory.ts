import type { ClaimRecord } from '../claims/record.ts';
import { type ClaimStore, unchanged } from '../claims/store.ts';

/** A claim store in this process's memory, with a look inside for tests. */
export interface MemoryStore extends ClaimStore {
  /** All records, as copies. */
  records(): readonly ClaimRecord[];
}

/**
 * A claim store in this process's memory: for unit tests of handlers, and for nothing else, since another process or
 * the next start of this one knows nothing of it.
 *
 * @example
 * const store = memoryStore();
 * const handler = eachMessage({ store, operation: 'send-email', … }, send);
 */
export function memoryStore(): MemoryStore {
  const records = new Map<string, ClaimRecord>();
  return {
    async read(id) {
      return records.get(id);
    },
    async write({ next, seen }) {
      const found = records.get(next.id);
      if (!unchanged(seen, found)) return { applied: false, found };
      records.set(next.id, next);
      return { applied: true };
    },
    records: () => [...records.values()],
  };
}
