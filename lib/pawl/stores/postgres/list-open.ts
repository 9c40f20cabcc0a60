import { openShards, shardName } from '../../rules/open.ts';
import {
  badCursor,
  checkedPrefix,
  type OpenPage,
  type OpenQuery,
  openClaimOf,
  withoutForeign,
} from '../../rules/open-claims.ts';
import type { ClaimRecord } from '../../rules/record.ts';
import { recordOf, textOf } from './row.ts';
import type { PostgresTable } from './table.ts';

/** The last entry of a page: its place, when it was first seen, and its id as the column has it. */
type Entry = readonly [open: string, firstSeenAt: number, id: string];

const beforeAll: Entry = ['', Number.NEGATIVE_INFINITY, ''];

/** One page of the open claims. @throws OptionError; what the table throws */
export async function listOpen(table: PostgresTable, query: OpenQuery): Promise<OpenPage> {
  const prefix = textOf(checkedPrefix(query));
  const { limit, cursor } = query;
  const after = cursor === undefined ? beforeAll : entryOf(cursor);
  const shards = [shardName(0), shardName(openShards - 1)];
  const rows = await table.ask(table.statements.listOpen, [...shards, prefix, ...after, limit + 1]);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const listed = page.map((row) => openClaimOf(recordOf(row) as ClaimRecord));
  return { ...withoutForeign(listed), cursor: last && cursorOf(last) };
}

/** The cursor is a text for URLs. */
function cursorOf(row: object): string {
  const entry = ['open', 'first_seen_at', 'id'].map((name) => Reflect.get(row, name));
  return Buffer.from(JSON.stringify(entry)).toString('base64url');
}

/** @throws OptionError when it is no cursor of this store */
function entryOf(cursor: string): Entry {
  try {
    const [open, firstSeenAt, id]: readonly unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof open === 'string' && typeof firstSeenAt === 'number' && typeof id === 'string') {
      return [open, firstSeenAt, id];
    }
  } catch {
    // No JSON, or no list: it is refused below.
  }
  return badCursor(cursor);
}
