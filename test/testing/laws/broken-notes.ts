import { type MemoryStore, memoryStore } from '../../../lib/pawl/index.ts';

function broken(changed: (store: MemoryStore) => Partial<MemoryStore>): () => MemoryStore {
  return () => {
    const store = memoryStore();
    return { ...store, ...changed(store) };
  };
}

/** Stores over a Map that keep notes, each with one mistake, by what it does. */
export const brokenNotes: Readonly<Record<string, () => MemoryStore>> = {
  'loses when a note expires': broken((store) => ({
    async readNote(id) {
      const { expiresAt: _, ...note } = (await store.readNote(id)) ?? {};
      return 'id' in note ? (note as Awaited<ReturnType<MemoryStore['readNote']>>) : undefined;
    },
  })),
  'writes a note whatever stands there': broken((store) => ({
    async writeNote({ next }) {
      return store.writeNote({ next, seen: await store.readNote(next.id) });
    },
  })),
  'lists the last entry of a page twice': broken((store) => ({
    listPlace: ({ after, ...query }) =>
      store.listPlace({ ...query, after: after && { ...after, firstSeenAt: after.firstSeenAt - 1 } }),
  })),
  'lists what was seen later than asked for': broken((store) => ({
    listPlace: (query) => store.listPlace({ ...query, until: Number.MAX_SAFE_INTEGER }),
  })),
  'goes on listing a note that has left its place': broken((store) => {
    const left = new Map<string, { id: string; firstSeenAt: number }[]>();
    return {
      async writeNote(write) {
        const { seen } = write;
        if (seen?.open !== undefined) left.set(seen.open, [{ id: seen.id, firstSeenAt: seen.firstSeenAt ?? 0 }]);
        return store.writeNote(write);
      },
      async listPlace(query) {
        const page = await store.listPlace(query);
        return { ...page, entries: [...(left.get(query.place) ?? []), ...page.entries] };
      },
    };
  }),
  'does not list claims': broken((store) => ({
    async listPlace(query) {
      const page = await store.listPlace(query);
      return { ...page, entries: page.entries.filter(({ id }) => id.startsWith('#')) };
    },
  })),
};
