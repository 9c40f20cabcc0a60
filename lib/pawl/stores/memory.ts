import { warnInLambda } from '../kernel/memory-in-lambda.ts';
import { isStill } from '../kernel/record.ts';
import { type KeepsNotes, type Note, noteState, type PlaceEntry } from '../rules/notes.ts';
import { isObserved } from '../rules/observed.ts';
import { isUnstated } from '../rules/open.ts';
import { badCursor, checkedPrefix, type ListsOpenClaims, openClaimOf, withoutForeign } from '../rules/open-claims.ts';
import type { ClaimRecord } from '../rules/record.ts';
import { type ClaimStore, unchanged } from '../rules/store.ts';

/** A claim store in this process's memory, with a look inside for tests. */
export interface MemoryStore extends ClaimStore, ListsOpenClaims, KeepsNotes {
  /** All records, as copies. */
  records(): readonly ClaimRecord[];
}

/**
 * A claim store in this process's memory: for unit tests of handlers, and for nothing else, since another process or
 * the next start of this one knows nothing of it.
 *
 * @example
 * import { bodyField, eachMessage } from 'pawl/sqs';
 *
 * const store = memoryStore();
 * const handler = eachMessage(
 *   { operation: 'send-email', store, schema: Order, key: bodyField('id'), onAbandoned: 'park' },
 *   ({ body }) => mailer.send(body),
 * );
 */
export function memoryStore(): MemoryStore {
  const records = new Map<string, ClaimRecord>();
  const notes = new Map<string, Note>();
  return {
    async read(id) {
      return records.get(id);
    },
    async write({ next, seen }) {
      warnInLambda('memoryStore', 'dynamoStore');
      const found = records.get(next.id);
      if (!unchanged(seen, found)) return { applied: false, found };
      records.set(next.id, next);
      return { applied: true };
    },
    async listOpen(query) {
      const prefix = checkedPrefix(query);
      const { limit, cursor } = query;
      if (cursor !== undefined && !records.has(cursor)) badCursor(cursor);
      const open: ClaimRecord[] = [];
      let isBehind = cursor === undefined;
      for (const record of records.values()) {
        const isListed = record.open !== undefined && !isUnstated(record) && !isObserved(record);
        if (isBehind && isListed && record.id.startsWith(prefix)) open.push(record);
        isBehind ||= record.id === cursor;
      }
      const claims = open.slice(0, limit).map(openClaimOf);
      const next = open.length > limit ? claims.at(-1)?.id : undefined;
      return { ...withoutForeign(claims), cursor: next };
    },
    async readNote(id) {
      return notes.get(id);
    },
    async writeNote({ next, seen }) {
      const found = notes.get(next.id);
      if (!isStill(noteState, seen, found)) return { applied: false, found };
      notes.set(next.id, next);
      return { applied: true };
    },
    async listPlace({ place, until, limit, after }) {
      const there = [...records.values(), ...notes.values()].flatMap(({ id, open, firstSeenAt }) =>
        open === place && firstSeenAt !== undefined && firstSeenAt <= until ? [{ id, firstSeenAt }] : [],
      );
      there.sort(inPlace);
      const rest = after === undefined ? there : there.filter((entry) => inPlace(entry, after) > 0);
      const entries = rest.slice(0, limit);
      return { entries, after: rest.length > limit ? entries.at(-1) : undefined };
    },
    records: () => [...records.values()],
  };
}

/** The order of the entries of one place. */
function inPlace(one: PlaceEntry, other: PlaceEntry): number {
  if (one.firstSeenAt !== other.firstSeenAt) return one.firstSeenAt - other.firstSeenAt;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
