import { type ClaimRecord, type ClaimStore, type ListsOpenClaims, memoryStore } from 'pawl/internal';

/** The claims of one run. Like a table with a time to live, it has forgotten what has expired, whatever state that was in. */
export function expiringStore(now: () => number): ClaimStore & ListsOpenClaims {
  const store = memoryStore();
  const isGone = (record: ClaimRecord | undefined) =>
    record?.expiresAt !== undefined && record.expiresAt * 1000 < now();
  const found = async (id: string) => {
    const record = await store.read(id);
    return isGone(record) ? undefined : record;
  };
  return {
    read: found,
    async write({ next, seen }) {
      if (isGone(seen)) return { applied: false, found: await found(next.id) };
      const gone = seen === undefined ? await store.read(next.id) : undefined;
      return store.write({ next, seen: isGone(gone) ? gone : seen });
    },
    listOpen: (query) => store.listOpen(query),
  };
}
