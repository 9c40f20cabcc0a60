import type { RecordState } from '../../kernel/record.ts';

/**
 * A record as a row: what is compared or searched has a column of its own, and the whole record is JSON. Claims, notes and locks alike.
 *
 * The JSON is a text to PostgreSQL, and none of its functions has to understand it: its numbers stay exact, and U+0000, which no text of PostgreSQL holds, stays
 * escaped.
 */

/** What a store keeps. */
export interface Stored {
  readonly id: string;
  readonly status?: string | undefined;
  readonly open?: string | undefined;
  readonly firstSeenAt?: number | undefined;
  readonly expiresAt?: number | undefined;
}

/** One conditional write of one record, and how its states are told apart. */
export interface RowWrite {
  readonly next: Stored;
  readonly state: RecordState;
  readonly seen: RecordState | undefined;
}

/** The columns that a write sets, in the order of its parameters, with their types. */
export const columns = {
  id: 'text',
  claim_id: 'text',
  rev: 'bigint',
  status: 'text',
  open: 'text',
  first_seen_at: 'double precision',
  expires_at: 'double precision',
  record: 'text',
} as const;

/** The parameters of a statement that writes: a list for each column, and two for the states that were seen. */
export function parametersOf(writes: readonly RowWrite[]): readonly unknown[] {
  const rows = writes.map(({ next, state, seen }) => [
    textOf(next.id),
    ...comparedOf(state),
    next.status,
    next.open,
    next.firstSeenAt,
    next.expiresAt,
    JSON.stringify(next),
    ...(seen === undefined ? [undefined, undefined] : comparedOf(seen)),
  ]);
  return Array.from({ length: Object.keys(columns).length + 2 }, (_, column) => rows.map((row) => row[column] ?? null));
}

/** What a write compares: the claim id, where there is one, and the number that each write raises. A resource has a fence in place of a revision. */
function comparedOf(state: RecordState): readonly [claimId: string | undefined, rev: string | number | undefined] {
  const { claimId, rev, fence } = state;
  return [claimId === undefined ? undefined : textOf(`${claimId}`), rev ?? fence];
}

/** A text that a column holds: U+0000 is escaped, and so is U+007F, with which it is escaped. */
export function textOf(text: string): string {
  return text.replaceAll('\u007f', '\u007f\u007f').replaceAll('\u0000', '\u007f0');
}

/** The text that a column holds, as it was. */
export function textFrom(column: string): string {
  return column.replaceAll(/\u007f(.)/g, (_, escaped) => (escaped === '0' ? '\u0000' : escaped));
}

/** The record of a row. */
export function recordOf(row: object): Stored {
  return JSON.parse(String(Reflect.get(row, 'record'))) as Stored;
}
