import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { type PostgresStore, postgresStore } from '../../lib/pawl/postgres/index.ts';

/** The tables of an application: accounts that hold something, and an entry for each payment. */
export const applicationTables = `
CREATE TABLE accounts (id text PRIMARY KEY, cents int NOT NULL CHECK (cents >= 0));
CREATE TABLE entries (payment text PRIMARY KEY, cents int NOT NULL);
`;

interface Tables {
  readonly accounts: { readonly id: string; readonly cents: number };
  readonly entries: { readonly payment: string; readonly cents: number };
}

/** What an application does in a transaction of one library. */
export interface Adapter<Tx> {
  readonly store: (pool: Pool) => PostgresStore<Tx>;
  /** Takes an amount from an account, and enters it. */
  readonly pay: (tx: Tx, payment: Payment) => Promise<unknown>;
}

export interface Payment {
  readonly id: string;
  readonly account: string;
  readonly cents: number;
}

export const pg: Adapter<PoolClient> = {
  store: (pool) => postgresStore({ pool }),
  async pay(tx, { id, account, cents }) {
    await tx.query('UPDATE accounts SET cents = cents - $2 WHERE id = $1', [account, cents]);
    await tx.query('INSERT INTO entries (payment, cents) VALUES ($1, $2)', [id, cents]);
  },
};

const drizzleOn = (client: PoolClient) => drizzle(client);

export const withDrizzle: Adapter<ReturnType<typeof drizzleOn>> = {
  store: (pool) => postgresStore({ pool, tx: drizzleOn }),
  async pay(tx, { id, account, cents }) {
    await tx.execute(drizzleSql`UPDATE accounts SET cents = cents - ${cents} WHERE id = ${account}`);
    await tx.execute(drizzleSql`INSERT INTO entries (payment, cents) VALUES (${id}, ${cents})`);
  },
};

/** Kysely over one connection, which pawl gives back. */
function kyselyOn(client: PoolClient): Kysely<Tables> {
  const connection = { query: client.query.bind(client), release: () => {} } as PoolClient;
  const pool = { connect: async () => connection, end: async () => {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as Pool }) });
}

export const withKysely: Adapter<Kysely<Tables>> = {
  store: (pool) => postgresStore({ pool, tx: kyselyOn }),
  async pay(tx, { id, account, cents }) {
    await tx
      .updateTable('accounts')
      .set((eb) => ({ cents: eb('cents', '-', cents) }))
      .where('id', '=', account)
      .execute();
    await tx.insertInto('entries').values({ payment: id, cents }).execute();
  },
};
