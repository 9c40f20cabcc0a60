import { isStill } from '../../lib/pawl/kernel/record.ts';
import { type KeepsNotes, type Note, noteState, type PlaceEntry } from '../../lib/pawl/rules/notes.ts';
import type { ClaimRecord } from '../../lib/pawl/rules/record.ts';
import { type ClaimStore, unchanged } from '../../lib/pawl/rules/store.ts';

/** A store over a Map, with an index: of a million claims, a scan for each page would take a day. Records are kept as texts, which are small. */
export function compactStore(): ClaimStore & KeepsNotes {
  const items = new Map<string, string>();
  const places = new Map<string, Map<string, number>>();
  const get = <T>(id: string) => {
    const text = items.get(id);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  };

  function set(
    next: { readonly id: string; readonly open?: string | undefined; readonly firstSeenAt?: number | undefined },
    before: { readonly open?: string | undefined } | undefined,
  ) {
    const { id, open, firstSeenAt } = next;
    if (before?.open !== undefined) places.get(before.open)?.delete(id);
    items.set(id, JSON.stringify(next));
    if (open === undefined || firstSeenAt === undefined) return;
    const place = places.get(open) ?? new Map<string, number>();
    places.set(open, place.set(id, firstSeenAt));
  }

  return {
    read: async (id) => get<ClaimRecord>(id),
    async write({ next, seen }) {
      const found = get<ClaimRecord>(next.id);
      if (!unchanged(seen, found)) return { applied: false, found };
      set(next, found);
      return { applied: true };
    },
    readNote: async (id) => get<Note>(id),
    async writeNote({ next, seen }) {
      const found = get<Note>(next.id);
      if (!isStill(noteState, seen, found)) return { applied: false, found };
      set(next, found);
      return { applied: true };
    },
    async listPlace({ place, until, limit, after }) {
      const there = Array.from(places.get(place) ?? [], ([id, firstSeenAt]): PlaceEntry => ({ id, firstSeenAt }))
        .filter((entry) => entry.firstSeenAt <= until && (after === undefined || order(entry, after) > 0))
        .sort(order);
      const entries = there.slice(0, limit);
      return { entries, after: there.length > limit ? entries.at(-1) : undefined };
    },
  };
}

function order(one: PlaceEntry, other: PlaceEntry): number {
  return one.firstSeenAt - other.firstSeenAt || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}
