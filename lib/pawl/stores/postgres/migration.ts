import { nodeHost } from '../../host.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { type PostgresTableOptions, quoted } from './table.ts';

/** The table of claims, notes and locks, and that of an outbox, as SQL. */
export interface PostgresMigration {
  /** Statements for `psql`, for a tool of migrations, or for `pool.query`. They do no harm where the tables are there. */
  readonly sql: string;
  /** SHA-256 of `sql`, in hex. It changes if a version of pawl needs another table. Each table has the one of its own part as its comment. */
  readonly checksum: string;
}

/**
 * The names of the tables.
 *
 * @example
 * const options: PostgresMigrationOptions = { table: 'app.claims', outboxTable: 'app.outbox' };
 */
export interface PostgresMigrationOptions extends Pick<PostgresTableOptions, 'table'> {
  /**
   * The table of `postgresOutbox`: its name, with or without a schema.
   * @default 'pawl_outbox'
   */
  readonly outboxTable?: string;
}

const known = { table: true, outboxTable: true } as const satisfies NamesOf<PostgresMigrationOptions>;

/**
 * What makes the tables that `postgresStore`, `postgresLockStore` and `postgresOutbox` use.
 *
 * Few updates touch an index, and the pages keep room for them: a claim that is completed is written where it stands.
 *
 * @throws OptionError when the name of a table is none
 * @example
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('migrations/001-pawl.sql', postgresMigration().sql);
 */
export function postgresMigration(options: PostgresMigrationOptions = {}): PostgresMigration {
  expectOptions(options, {
    door: 'postgresMigration',
    known,
    docs: 'docs/guides/postgres.md',
  });
  const { table = claimsTable, outboxTable: outbox = outboxTable } = options;
  const sql = claimsOf(table).sql + outboxOf(outbox).sql;
  return { sql, checksum: nodeHost.sha256(sql) };
}

const claimsTable = 'pawl_claims';
export const outboxTable = 'pawl_outbox';

/** The part of one table. */
interface TablePart {
  readonly sql: string;
  /** What the table has as its comment. */
  readonly comment: string;
}

export function claimsOf(table: string): TablePart {
  return partOf(
    table,
    (name, index) => `CREATE TABLE IF NOT EXISTS ${name} (
  id text COLLATE "C" PRIMARY KEY,
  claim_id text,
  rev bigint NOT NULL,
  status text,
  open text COLLATE "C",
  first_seen_at double precision,
  expires_at double precision,
  record json NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX IF NOT EXISTS ${index('open')} ON ${name} (open, first_seen_at) WHERE open IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${index('expires_at')} ON ${name} USING brin (expires_at);
`,
  );
}

/** A row is a message, or at place 0 the counter of a lane. */
export function outboxOf(table: string): TablePart {
  return partOf(
    table,
    (name, index) => `CREATE TABLE IF NOT EXISTS ${name} (
  id text COLLATE "C",
  n bigint,
  uid text,
  committed_at double precision,
  held_until double precision,
  parked json,
  record json,
  counted bigint,
  expires_at double precision,
  PRIMARY KEY (id, n)
) WITH (fillfactor = 70);
CREATE INDEX IF NOT EXISTS ${index('due')} ON ${name} (committed_at, id, n) WHERE n > 0;
`,
  );
}

function partOf(table: string, sqlOf: (name: string, index: (on: string) => string) => string): TablePart {
  const name = quoted(table);
  const sql = sqlOf(name, (on) => `"${table.split('.').at(-1)}_${on}"`);
  const comment = `pawl ${nodeHost.sha256(sql)}`;
  return { sql: `${sql}COMMENT ON TABLE ${name} IS '${comment}';\n`, comment };
}
