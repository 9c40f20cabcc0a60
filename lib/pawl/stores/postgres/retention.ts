import { expectWhole } from '../../kernel/check.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { openTable, type PostgresTableOptions, postgresTableOptionNames } from './table.ts';

/**
 * The options of `deleteExpired`.
 *
 * @example
 * import { Pool } from 'pg';
 *
 * const options: DeleteExpiredOptions = { pool: new Pool(), limit: 500 };
 */
export interface DeleteExpiredOptions extends PostgresTableOptions {
  /**
   * How many rows a call deletes at most.
   * @default 1000
   */
  readonly limit?: number;
}

const known = { ...postgresTableOptionNames, limit: true } as const satisfies NamesOf<DeleteExpiredOptions>;

/** After its retention, a record is kept for another hour: the clocks of the workers differ. In seconds. */
const graceSeconds = 3600;

/**
 * Deletes some records whose retention is over. It waits for no transaction: a row that a worker is at stays for the next call. Nothing else deletes records,
 * so call it from a schedule, until it returns 0. With `table: 'pawl_outbox'`, it deletes the counters of groups that had no message for a day.
 *
 * The role needs `SELECT`, `UPDATE` and `DELETE` on the table.
 *
 * @returns how many were deleted
 * @throws OptionError when an option is wrong; SetupError; what the driver throws
 * @example
 * import { Pool } from 'pg';
 *
 * const pool = new Pool();
 * while ((await deleteExpired({ pool })) > 0);
 */
export async function deleteExpired(options: DeleteExpiredOptions): Promise<number> {
  expectOptions(options, { door: 'deleteExpired', known, docs: 'docs/guides/postgres.md' });
  const { limit = 1000, ...of } = options;
  expectWhole('limit', limit);
  const { ask, statements, host } = openTable(of);
  const until = host.now() / 1000 - graceSeconds;
  return (await ask(statements.deleteExpired, [until, limit])).length;
}
