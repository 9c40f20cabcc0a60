import type { Host } from '../../kernel/host.ts';
import { textFrom, textOf } from '../../stores/postgres/row.ts';
import type { PostgresTable } from '../../stores/postgres/table.ts';
import type { OutboxRecord, Place } from '../record.ts';
import { lanePage, type OutboxStore } from '../store.ts';
import type { statementsOf } from './statements.ts';

/** The table of an outbox, and the way to it. */
export interface OutboxTable {
  readonly statements: ReturnType<typeof statementsOf>;
  readonly ask: PostgresTable['ask'];
}

/** A message may have a megabyte, and memory holds a page. */
const page = 100;

/** How long a lane is kept from another sender that looks for what is due, in milliseconds: longer than most lanes take, and shorter than a schedule. */
const holdMs = 30_000;

/** What a message has in its row besides its record. */
type InRow = 'n' | 'committedAt' | 'parked';

/** What a message has in its record. */
export function contentOf({ n, committedAt, parked, ...content }: OutboxRecord): Omit<OutboxRecord, InRow> {
  return content;
}

/** The messages of an outbox in a table of PostgreSQL. */
export function outboxStore({ statements, ask }: OutboxTable, host: Pick<Host, 'now'>): OutboxStore {
  return {
    async lane(id, after) {
      return (await ask(statements.lane, [textOf(id), after, lanePage])).map(recordOf);
    },
    async list(cursor) {
      const behind = cursor === undefined ? [Number.NEGATIVE_INFINITY, '', 0] : keyOf(cursor);
      const messages = (await ask(statements.list, [...behind, page])).map(recordOf);
      const last = messages.length < page ? undefined : messages.at(-1);
      return { messages, cursor: last && JSON.stringify([last.committedAt, textOf(last.id), last.n]) };
    },
    async due(before, most, cursor) {
      const behind = cursor === undefined ? [Number.NEGATIVE_INFINITY, ''] : keyOf(cursor);
      const now = host.now();
      const rows = (await ask(statements.due, [before, ...behind, most, now, now + holdMs])) as readonly Head[];
      const messages = rows.map(({ id, committedAt }) => ({ id: textFrom(id), committedAt }));
      const last = rows.length < most ? undefined : rows.at(-1);
      return { messages, cursor: last && JSON.stringify([last.committedAt, last.id]) };
    },
    async remove(place) {
      await ask(statements.remove, placed(place));
    },
    async discard(place) {
      return (await ask(statements.remove, placed(place))).length > 0;
    },
    async park(place, error) {
      const parked = error === undefined ? null : JSON.stringify(error);
      return (await ask(statements.park, [...placed(place), parked])).length > 0;
    },
  };
}

type Head = Pick<OutboxRecord, 'id' | 'committedAt'>;

function placed({ id, n, uid }: Place): readonly unknown[] {
  return [textOf(id), n, uid];
}

function keyOf(cursor: string): readonly unknown[] {
  return JSON.parse(cursor) as readonly unknown[];
}

interface Row {
  readonly n: string;
  readonly committedAt: number;
  readonly parked: string | null;
  readonly record: string;
}

function recordOf(row: object): OutboxRecord {
  const { n, committedAt, parked, record } = row as Row;
  const content = JSON.parse(record) as Omit<OutboxRecord, InRow>;
  return { ...content, n: Number(n), committedAt, ...(parked !== null && { parked: JSON.parse(parked) }) };
}
