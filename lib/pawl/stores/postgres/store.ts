import { expectFunction } from '../../kernel/check.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import type { KeepsNotes } from '../../rules/notes.ts';
import type { ListsOpenClaims } from '../../rules/open-claims.ts';
import type { ClaimStore, ClaimWrite } from '../../rules/store.ts';
import { claimsIn } from './claims.ts';
import type { ClientOf, PostgresClient, PostgresPool } from './sql.ts';
import { openTable, type PostgresTableOptions, postgresTableOptionNames } from './table.ts';
import { type Transacted, transact } from './transact.ts';

/**
 * The options of `postgresStore`.
 *
 * @example
 * import { drizzle } from 'drizzle-orm/node-postgres';
 * import { Pool } from 'pg';
 *
 * const store = postgresStore({ pool: new Pool(), tx: (client) => drizzle(client) });
 */
export interface PostgresStoreOptions<Pool extends PostgresPool, Tx> extends PostgresTableOptions<Pool> {
  /**
   * Makes the author's own form of a transaction from its connection: a query builder, for example. It is called for each transaction.
   * @default the connection itself
   */
  readonly tx?: (client: ClientOf<Pool>) => Tx;
}

const known = { ...postgresTableOptionNames, tx: true } as const satisfies NamesOf<
  PostgresStoreOptions<PostgresPool, unknown>
>;

/** Options of `dynamoStore` that mean nothing here. */
const ofDynamo = {
  restored: 'a database that was restored has no mark of it yet; leave it out',
  aws: 'it asks nothing of AWS; hand it to the consumer',
};

/** Claims in PostgreSQL, whose writes can carry statements of the application's: `commit`, `commitStep`, `inPhases` and `eachTransaction` need it. */
export interface PostgresStore<Tx> extends ClaimStore, ListsOpenClaims, KeepsNotes {
  /**
   * Applies the write of the claim and the statements of `work`, in one transaction, or neither. A call that rejects leaves it unknown which: the same call
   * again finds out.
   *
   * @param work gets the author's form of the transaction, and the connection that it is on
   * @param remainingMs how long its worker has, in milliseconds
   */
  transact(
    write: ClaimWrite,
    work: (tx: Tx, connection: PostgresClient) => unknown,
    remainingMs: number,
  ): Promise<Transacted>;
}

/**
 * Claims in a table of PostgreSQL. What is asked for at the same time shares a statement: up to 100 writes, up to 100 reads.
 *
 * The role needs `SELECT`, `INSERT` and `UPDATE` on the table.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { Pool } from 'pg';
 *
 * const store = postgresStore({ pool: new Pool({ connectionString: process.env.DATABASE_URL, max: 2 }) });
 */
export function postgresStore<Pool extends PostgresPool, Tx = ClientOf<Pool>>(
  options: PostgresStoreOptions<Pool, Tx>,
): PostgresStore<Tx> {
  expectOptions(options, { door: 'postgresStore', known, refused: ofDynamo, docs: 'docs/guides/postgres.md' });
  const { tx = (client: ClientOf<Pool>) => client as Tx, ...of } = options;
  expectFunction('tx', "a function that makes the author's form of a transaction", tx, 'wrong-handler');
  const table = openTable(of);
  const claims = claimsIn(table);
  return {
    ...claims,
    async transact(write, work, remainingMs) {
      const inTx = (client: PostgresClient) => work(tx(client as ClientOf<Pool>), client);
      const done = await transact(table, write, inTx, remainingMs);
      return done.kind === 'lost' ? { applied: false, found: await claims.read(write.next.id) } : done.result;
    },
  };
}
