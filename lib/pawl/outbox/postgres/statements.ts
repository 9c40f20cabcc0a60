/**
 * The statements over the table of an outbox in PostgreSQL.
 *
 * A lane is the rows of one `id`. Its messages are numbered from 1. Place 0 of a lane that keeps order is its counter.
 *
 * 1. A commit counts its lane on before it writes a message, and has the counter locked until it ends. So numbers have no gaps, and of two commits the first one
 *    has the lower number. A sequence would leave gaps, and behind a gap a lane would wait for ever.
 * 2. Whether something lies before a message is asked by a statement of its own, behind that lock: the snapshot of the one that has waited for the lock may be
 *    older than the commit that it has waited for.
 * 3. What is due is taken and held in one statement. A transaction that stayed open while a message is sent would cost a connection for each sender, and a
 *    sender that stands still would keep its rows locked.
 */
export function statementsOf(table: string) {
  const earlier = `SELECT FROM ${table} AS earlier WHERE earlier.id = head.id AND earlier.n > 0 AND earlier.n < head.n`;
  const shown = `n, committed_at AS "committedAt", parked::text AS parked, record::text AS record`;
  return {
    /** Counts the lane $1 on by $2, until $3 in seconds. Where its counter has ended, behind what still lies there. */
    count: `INSERT INTO ${table} AS lane (id, n, counted, expires_at)
VALUES ($1, 0, $2::bigint + coalesce((SELECT max(n) FROM ${table} WHERE id = $1), 0), $3::double precision)
ON CONFLICT (id, n) DO UPDATE SET counted = lane.counted + $2::bigint, expires_at = excluded.expires_at RETURNING counted`,
    /** Writes messages. Returns those of the lanes $6 in which some lay before. */
    write: `WITH written AS (
  INSERT INTO ${table} (id, n, uid, record, committed_at)
  SELECT id, n, uid, record::json, $5::double precision
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS given (id, n, uid, record)
) SELECT DISTINCT id FROM ${table} WHERE id = ANY ($6::text[]) AND n > 0`,
    lane: `SELECT ${shown} FROM ${table} WHERE id = $1 AND n > $2::bigint ORDER BY n LIMIT $3`,
    list: `SELECT ${shown} FROM ${table} WHERE n > 0 AND (committed_at, id, n) > ($1::double precision, $2, $3::bigint)
ORDER BY committed_at, id, n LIMIT $4`,
    /** The first of each lane that was committed by $1 and that no one holds at $5, behind $2, $3, at most $4. It is held until $6, unless it is parked. */
    due: `WITH heads AS MATERIALIZED (
  SELECT id, n, committed_at, parked IS NULL AS goes FROM ${table} AS head
  WHERE n > 0 AND committed_at <= $1::double precision AND (committed_at, id) > ($2::double precision, $3)
    AND (held_until IS NULL OR held_until <= $5::double precision) AND NOT EXISTS (${earlier})
  ORDER BY committed_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
), held AS (
  UPDATE ${table} AS head SET held_until = $6::double precision FROM heads WHERE heads.goes AND head.id = heads.id AND head.n = heads.n
) SELECT id, committed_at AS "committedAt" FROM heads ORDER BY committed_at, id`,
    remove: `DELETE FROM ${table} WHERE id = $1 AND n = $2::bigint AND uid = $3 RETURNING n`,
    park: `UPDATE ${table} SET parked = $4::json, held_until = NULL WHERE id = $1 AND n = $2::bigint AND uid = $3 RETURNING n`,
  };
}
