import type { Entry } from '../ledger.ts';
import { pool } from './database.ts';

const all = `SELECT payment_id AS "paymentId", entry_id AS "entryId", side, account, amount_cents AS "amountCents", currency FROM entries`;

/** All entries of the ledger. The driver does not ask again by itself when a connection has died. */
export async function readEntries(): Promise<readonly Entry[]> {
  for (let tries = 1; ; tries++) {
    try {
      return (await pool.query<Entry>(all)).rows;
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}
