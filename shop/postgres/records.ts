import { postgresStore, readAllRecords } from 'pawl/postgres';
import type { Pool } from 'pg';
import type { ShopRecords } from '../app/records.ts';

/** What the functions of the shop have stored in PostgreSQL, past all faults. */
export function postgresRecords(pool: Pool): ShopRecords {
  async function records(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const all: Readonly<Record<string, unknown>>[] = [];
    for await (const one of readAllRecords({ pool })) all.push({ ...one });
    return all;
  }
  return {
    claims: postgresStore({ pool }),
    parked: async () => {
      const parked = (await records()).filter(({ status }) => status === 'parked');
      return new Set(parked.map(({ id }) => String(id)));
    },
    async outboxLeft() {
      const { rowCount } = await pool.query('SELECT FROM pawl_outbox WHERE n > 0');
      return rowCount ?? 0;
    },
    async timesRepaid() {
      const { rows } = await pool.query<{ debt_id: string; repaid: number }>('SELECT debt_id, repaid FROM debts');
      return new Map(rows.map((row) => [row.debt_id, row.repaid]));
    },
    locks: records,
  };
}
