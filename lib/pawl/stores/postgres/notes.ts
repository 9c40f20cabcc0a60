import type { Written } from '../../kernel/record.ts';
import { type KeepsNotes, type Note, noteState, type PlaceEntry } from '../../rules/notes.ts';
import { knownNote } from '../known-note.ts';
import { parametersOf, recordOf, textFrom, textOf } from './row.ts';
import type { PostgresTable } from './table.ts';

/** Notes in a claims table, and the places of its index. */
export function notesIn(table: PostgresTable): KeepsNotes {
  const { statements } = table;

  async function readNote(id: string): Promise<Note | undefined> {
    const [row] = await table.ask(statements.read, [[textOf(id)]]);
    return row && knownNote(recordOf(row));
  }

  return {
    readNote,
    async writeNote({ next, seen }): Promise<Written<Note>> {
      const write = { next, state: noteState(next), seen: seen && noteState(seen) };
      const applied = await table.ask(statements.write, parametersOf([write]));
      return applied.length > 0 ? { applied: true } : { applied: false, found: await readNote(next.id) };
    },
    async listPlace({ place, until, limit, after }) {
      const behind = after === undefined ? [Number.NEGATIVE_INFINITY, ''] : [after.firstSeenAt, textOf(after.id)];
      const rows = await table.ask(statements.listPlace, [place, until, ...behind, limit + 1]);
      const entries = rows.slice(0, limit).map(entryOf);
      return { entries, after: rows.length > limit ? entries.at(-1) : undefined };
    },
  };
}

function entryOf(row: object): PlaceEntry {
  return { id: textFrom(String(Reflect.get(row, 'id'))), firstSeenAt: Number(Reflect.get(row, 'first_seen_at')) };
}
