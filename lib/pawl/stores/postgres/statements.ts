import { columns } from './row.ts';

/**
 * The statements over the table of claims, notes and locks: compare-and-set, in SQL.
 *
 * Owns: the condition of a write (`isStill` of the kernel), and the order of locks. Does not own: what a record means, or what becomes of a refused write.
 *
 * 1. A write is applied only if the row is still the one that was seen. A first write is an `INSERT` that a row in its place turns into nothing.
 * 2. Rows are locked in the order of their ids, those that are there before those that are new. So two statements never wait for each other in a circle.
 * 3. The rows are compared as they are locked: `FOR UPDATE` returns the row as it stands after the wait, and not as the statement's snapshot had it.
 */

const names = Object.keys(columns);
const sets = names.filter((name) => name !== 'id').map((name) => `${name} = ${givenFor(name)}`);
const seenClaimId = `$${names.length + 1}::text[]`;
const seenRev = `$${names.length + 2}::bigint[]`;

function givenFor(name: string): string {
  return name === 'record' ? 'given.record::json' : `given.${name}`;
}

/** What is given as parameters, and the rows of these ids that are there, locked. */
function lockedRows(table: string): string {
  return `WITH given AS (
  SELECT * FROM unnest(${Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`)}, ${seenClaimId}, ${seenRev})
    AS given (${names}, seen_claim_id, seen_rev)
), locked AS MATERIALIZED (
  SELECT id, claim_id, rev FROM ${table} WHERE id IN (SELECT id FROM given WHERE seen_rev IS NOT NULL) ORDER BY id FOR UPDATE
), unchanged AS MATERIALIZED (
  SELECT given.* FROM given JOIN locked USING (id)
  WHERE locked.claim_id IS NOT DISTINCT FROM seen_claim_id AND locked.rev = seen_rev
)`;
}

function updated(table: string, when: string): string {
  return `UPDATE ${table} AS kept SET ${sets} FROM unchanged AS given WHERE kept.id = given.id AND ${when} RETURNING kept.id`;
}

function inserted(table: string, when: string): string {
  return `INSERT INTO ${table} (${names})
  SELECT ${names.map(givenFor)} FROM given WHERE seen_rev IS NULL AND ${when} ORDER BY id
  ON CONFLICT (id) DO NOTHING RETURNING id`;
}

/** The statements of one table, whose name is quoted. */
export function statementsOf(table: string) {
  // Not before the rows that are there are locked.
  const afterLocks = '(SELECT count(*) FROM unchanged) >= 0';
  return {
    /** Rows by their ids. */
    read: `SELECT id, record::text AS record FROM ${table} WHERE id = ANY($1::text[])`,
    /** Writes, each by itself. Returns the ids of those that were applied. */
    write: `${lockedRows(table)}, updated AS (${updated(table, 'true')}), inserted AS (${inserted(table, afterLocks)})
SELECT id FROM inserted UNION ALL SELECT id FROM updated`,
    /**
     * Writes, all or none. Returns whether they were applied. If a row stands in the place of a first write, what is written already is undone: by a
     * division by zero, the one error that a statement without a function can raise.
     */
    writeAll: `${lockedRows(table)}, fitting AS MATERIALIZED (
  SELECT (SELECT count(*) FROM unchanged) = (SELECT count(seen_rev) FROM given) AS all_fit
), updated AS (${updated(table, '(SELECT all_fit FROM fitting)')}), inserted AS (${inserted(table, '(SELECT all_fit FROM fitting)')}), done AS (
  SELECT (SELECT count(*) FROM updated) + (SELECT count(*) FROM inserted) AS rows
)
SELECT all_fit AS applied, 1 / CASE WHEN all_fit AND done.rows < (SELECT count(*) FROM given) THEN 0 ELSE 1 END AS whole FROM fitting, done`,
    /** Open claims of the places from $1 to $2, behind the entry $4, $5, $6, at most $7, whose ids begin with $3. */
    listOpen: `SELECT id, open, first_seen_at, record::text AS record FROM ${table}
WHERE open BETWEEN $1 AND $2 AND starts_with(id, $3) AND (open, first_seen_at, id) > ($4, $5::double precision, $6)
ORDER BY open, first_seen_at, id LIMIT $7`,
    /** The entries of the place $1 that were first seen by $2, behind the entry $3, $4, at most $5. */
    listPlace: `SELECT id, first_seen_at FROM ${table}
WHERE open = $1 AND first_seen_at <= $2::double precision AND (first_seen_at, id) > ($3::double precision, $4)
ORDER BY first_seen_at, id LIMIT $5`,
    /** Rows in the order of their ids, behind the id $1, at most $2. */
    listAll: `SELECT id, record::text AS record FROM ${table} WHERE id > $1 ORDER BY id LIMIT $2`,
    /** Deletes some rows whose retention was over at $1, in seconds, and that no transaction is at. */
    deleteExpired: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM ${table} WHERE expires_at < $1::double precision LIMIT $2 FOR UPDATE SKIP LOCKED
)) RETURNING id`,
  };
}
