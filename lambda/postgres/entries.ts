import type { Entry } from '../ledger.ts';
import { pool } from './database.ts';

/** All entries of the ledger. */
export async function readEntries(): Promise<readonly Entry[]> {
  const { rows } = await pool.query<Entry>(
    `SELECT payment_id AS "paymentId", entry_id AS "entryId", side, account, amount_cents AS "amountCents", currency FROM entries`,
  );
  return rows;
}
