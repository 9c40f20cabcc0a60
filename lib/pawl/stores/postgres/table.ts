import { nodeHost } from '../../host.ts';
import { expect } from '../../kernel/check.ts';
import type { Host } from '../../kernel/host.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { setupErrorOf } from './errors.ts';
import { listenOnce, type PostgresPool, withConnection } from './sql.ts';
import { statementsOf } from './statements.ts';

/**
 * Which table in which database.
 *
 * @example
 * import { Pool } from 'pg';
 *
 * const options: PostgresTableOptions = { pool: new Pool({ max: 2 }), table: 'app.claims' };
 */
export interface PostgresTableOptions<Pool extends PostgresPool = PostgresPool> {
  /** A pool of connections to the primary: `new Pool()` of `pg`. It is the author's to configure, and to end. */
  readonly pool: Pool;
  /**
   * The table that the migration has made: its name, with or without a schema.
   * @default 'pawl_claims'
   */
  readonly table?: string;
  /**
   * The clock and the timers. Only simulations set it.
   * @default those of Node
   */
  readonly host?: Pick<Host, 'now' | 'after' | 'random'>;
}

export const postgresTableOptionNames = {
  pool: true,
  table: true,
  host: true,
} as const satisfies NamesOf<PostgresTableOptions>;

/** A table, and the way to it. */
export interface PostgresTable {
  readonly name: string;
  readonly statements: ReturnType<typeof statementsOf>;
  readonly host: Pick<Host, 'now' | 'after' | 'random'>;
  readonly pool: PostgresPool;
  /** Runs one statement. @throws SetupError where an operator has to act; what the driver throws */
  ask(text: string, values: readonly unknown[]): Promise<readonly object[]>;
}

/** @param needs what a role needs on the table @throws OptionError when the pool or the name is none */
export function openTable(
  { pool, table = 'pawl_claims', host = nodeHost }: PostgresTableOptions,
  needs?: string,
): PostgresTable {
  expect(typeof pool?.connect === 'function', 'pool', 'a pool of connections, such as new Pool() of pg', pool);
  const name = quoted(table);
  listenOnce(pool);
  return {
    name: table,
    statements: statementsOf(name),
    host,
    pool,
    async ask(text, values) {
      try {
        const { rows } = await withConnection(pool, host, ({ run }) => run(text, values));
        return rows;
      } catch (error) {
        throw setupErrorOf(error, table, needs);
      }
    },
  };
}

/** A name as SQL has it. @throws OptionError: what is no name would become a part of every statement */
export function quoted(table: unknown): string {
  const isName = typeof table === 'string' && /^[a-z_][\w$]{0,47}(\.[a-z_][\w$]{0,47})?$/i.test(table);
  expect(isName, 'table', "the name of a table, such as 'pawl_claims' or 'app.pawl_claims'", table);
  return (table as string).replaceAll(/[^.]+/g, '"$&"');
}
