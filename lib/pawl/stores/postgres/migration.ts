import { nodeHost } from '../../host.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { type PostgresTableOptions, quoted } from './table.ts';

/** The table of claims, notes and locks, as SQL. */
export interface PostgresMigration {
  /** Statements for `psql`, for a tool of migrations, or for `pool.query`. They do no harm where the table is there. */
  readonly sql: string;
  /** SHA-256 of `sql`, in hex. It changes if a version of pawl needs another table. The table has it as its comment. */
  readonly checksum: string;
}

const known = { table: true } as const satisfies NamesOf<Pick<PostgresTableOptions, 'table'>>;

/**
 * What makes the table that `postgresStore` and `postgresLockStore` use.
 *
 * Few updates touch an index, and the pages keep room for them: a claim that is completed is written where it stands.
 *
 * @throws OptionError when the name of the table is none
 * @example
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('migrations/001-pawl.sql', postgresMigration().sql);
 */
export function postgresMigration(options: Pick<PostgresTableOptions, 'table'> = {}): PostgresMigration {
  expectOptions(options, {
    door: 'postgresMigration',
    known,
    docs: 'docs/guides/postgres.md',
  });
  const { table = 'pawl_claims' } = options;
  const name = quoted(table);
  const index = (on: string) => `"${table.split('.').at(-1)}_${on}"`;
  const sql = `CREATE TABLE IF NOT EXISTS ${name} (
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
`;
  const checksum = nodeHost.sha256(sql);
  return { sql: `${sql}COMMENT ON TABLE ${name} IS 'pawl ${checksum}';\n`, checksum };
}
