import type { RecordState, Write, Written } from '../kernel/record.ts';
import { propertyOf } from '../kernel/unknown.ts';

/**
 * What a store can do besides: keep notes beside the claims, and list a place of the index. An optional capability of a `ClaimStore`, for statements. No
 * rule of a claim depends on it.
 *
 * Owns: what a note is, and the port. Does not own: what a note says (`lib/pawl/statements`), or which claims the index keeps where (`open.ts`).
 */
export interface KeepsNotes {
  /** Reads one note, strongly consistent. */
  readNote(id: string): Promise<Note | undefined>;
  /** Applies one write if the note is still the one that was seen. */
  writeNote(write: Write<Note>): Promise<Written<Note>>;
  /** Lists what the index keeps at one place, the first seen first. It may lag behind the records by a moment: read each of them. */
  listPlace(query: PlaceQuery): Promise<PlacePage>;
}

/** An item beside the claims: how far a run has come, or what it has found. */
export interface Note {
  /** Begins with `#`, which no claim's id does: an operation has a name. */
  readonly id: string;
  /** Counts the writes of this note, and never goes back. */
  readonly rev: number;
  /** JSON. */
  readonly text: string;
  /** Its place in the index. Absent: it is not listed. */
  readonly open?: string | undefined;
  /** Where it stands at that place, in epoch milliseconds. */
  readonly firstSeenAt?: number | undefined;
  /** When DynamoDB's TTL may collect it, in epoch seconds. */
  readonly expiresAt?: number | undefined;
  readonly v: typeof noteSchema;
}

export const noteSchema = 'note-1';

/** One entry of a place: the id of a claim or of a note. */
export interface PlaceEntry {
  readonly id: string;
  readonly firstSeenAt: number;
}

interface PlaceQuery {
  readonly place: string;
  /** Only what was first seen by then, in epoch milliseconds. */
  readonly until: number;
  readonly limit: number;
  /** Of the page before: only what comes behind this entry. */
  readonly after?: PlaceEntry | undefined;
}

interface PlacePage {
  readonly entries: readonly PlaceEntry[];
  /** `undefined` on the last page. */
  readonly after: PlaceEntry | undefined;
}

/** What tells one state of a note from every other one. */
export function noteState({ rev }: Note): RecordState {
  return { rev };
}

export function keepsNotes(store: object): store is KeepsNotes {
  return (['readNote', 'writeNote', 'listPlace'] as const).every(
    (name) => typeof propertyOf(store, name) === 'function',
  );
}
