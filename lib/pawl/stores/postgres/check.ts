import { expectOptions } from '../../kernel/take-options.ts';
import { postgresMigration } from './migration.ts';
import { openTable, type PostgresTableOptions, postgresTableOptionNames, quoted } from './table.ts';

/**
 * What was found in a database.
 *
 * @example
 * const isUsable = (findings: readonly PostgresFinding[]) => findings.every(({ level }) => level !== 'problem');
 */
export interface PostgresFinding {
  /** `problem`: claims are not safe there, or cannot be written. `warning`: it may be meant so. `unknown`: the role may not see it. */
  readonly level: 'problem' | 'warning' | 'unknown';
  /** What is wrong, and what to do. */
  readonly text: string;
}

/** What the server says of itself, and of the table. */
export interface PostgresFacts {
  /** Whether it replicates from another server, and is read-only. */
  readonly standby: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
  /** How the servers that replicate from it do so: `async`, `sync`, `quorum`, `potential`; `null`, where the role may not see it. */
  readonly replicas: readonly (string | null)[];
  readonly table: string | null;
  readonly comment: string | null;
  /** Which of `SELECT`, `INSERT` and `UPDATE` the role has on the table. */
  readonly granted: readonly string[];
}

/**
 * What a database has of pawl's table: `absent`; `same`, as the migration of this version makes it; or `other`, a table of that name that is not known to be.
 *
 * @example
 * const isToBeMade = (state: PostgresMigrationState) => state === 'absent';
 */
export type PostgresMigrationState = 'absent' | 'same' | 'other';

const needed = ['SELECT', 'INSERT', 'UPDATE'] as const;

const factsOf = `SELECT pg_is_in_recovery() AS standby, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit",
  ARRAY(SELECT sync_state FROM pg_stat_replication) AS replicas,
  to_regclass($1)::text AS table, obj_description(to_regclass($1), 'pg_class') AS comment,
  ARRAY(SELECT privilege FROM unnest($2::text[]) AS privilege WHERE has_table_privilege(to_regclass($1), privilege)) AS granted`;

/**
 * Looks whether a database is as pawl needs it: the table, the permissions of the pool's role, and whether a commit that the server has acknowledged can be
 * forgotten. It reads, and changes nothing. Call it from a deployment, by the role of the consumer.
 *
 * @returns what is wrong; an empty list, if nothing is
 * @throws OptionError when an option is wrong; SetupError when the role may not even look; what the driver throws
 * @example
 * import { Pool } from 'pg';
 *
 * const findings = await checkPostgres({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) });
 * for (const { level, text } of findings) console.log(`${level}: ${text}`);
 */
export async function checkPostgres(options: PostgresTableOptions): Promise<readonly PostgresFinding[]> {
  expectOptions(options, { door: 'checkPostgres', known: postgresTableOptionNames, docs: 'docs/guides/postgres.md' });
  const { ask, name } = openTable(options);
  const [facts] = await ask(factsOf, [quoted(name), [...needed]]);
  return findingsOf(facts as PostgresFacts, name);
}

/**
 * Looks whether the migration has been applied to a database. It reads, and changes nothing.
 *
 * @throws OptionError when an option is wrong; SetupError when the role may not even look; what the driver throws
 * @example
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * if ((await readPostgresMigration({ pool })) === 'absent') await pool.query(postgresMigration().sql);
 */
export async function readPostgresMigration(options: PostgresTableOptions): Promise<PostgresMigrationState> {
  const door = 'readPostgresMigration';
  expectOptions(options, { door, known: postgresTableOptionNames, docs: 'docs/guides/postgres.md' });
  const { ask, name } = openTable(options);
  const [facts] = await ask(factsOf, [quoted(name), [...needed]]);
  const { table, comment } = facts as PostgresFacts;
  if (table === null) return 'absent';
  return isOfThisVersion(comment, name) ? 'same' : 'other';
}

function isOfThisVersion(comment: string | null, table: string): boolean {
  return comment === `pawl ${postgresMigration({ table }).checksum}`;
}

/** What is wrong with what a server says of itself. */
export function findingsOf(facts: PostgresFacts, name: string): readonly PostgresFinding[] {
  return [...ofDurability(facts), ...ofTable(facts, name)];
}

function ofDurability({ standby, fsync, synchronousCommit, replicas }: PostgresFacts): PostgresFinding[] {
  const found: PostgresFinding[] = [];
  const say = (level: PostgresFinding['level'], text: string) => found.push({ level, text });
  if (standby)
    say('problem', 'the pool leads to a standby, which lags behind and takes no writes. Connect to the primary');
  const forgets = 'so a completion that was acknowledged may be forgotten, and its effect happens again';
  if (fsync === 'off') say('problem', `fsync is off, ${forgets} after a crash. Turn it on`);
  if (synchronousCommit === 'off') say('problem', `synchronous_commit is off, ${forgets} after a crash. Turn it on`);
  if (replicas.length === 0) return found;
  const isSynchronous = replicas.some((state) => state === 'sync' || state === 'quorum');
  const advice = 'Name one in synchronous_standby_names, or promote none of them before you have compared the claims';
  if (isSynchronous && synchronousCommit === 'local') {
    say(
      'warning',
      `synchronous_commit is local, which waits for no standby, ${forgets} after a failover. Set it to on`,
    );
  } else if (!isSynchronous && replicas.includes(null)) {
    say('unknown', 'whether a standby is synchronous. Grant pg_monitor to the role, or look at pg_stat_replication');
  } else if (!isSynchronous) {
    say('warning', `every standby replicates asynchronously, ${forgets} after a failover. ${advice}`);
  }
  return found;
}

function ofTable({ table, comment, granted }: PostgresFacts, name: string): PostgresFinding[] {
  const apply = 'Apply the migration of pawl/postgres';
  if (table === null) return [{ level: 'problem', text: `the table '${name}' is not there. ${apply}` }];
  const found: PostgresFinding[] = [];
  if (!isOfThisVersion(comment, name)) {
    const text = `the table '${name}' is not known to be of this version's migration: its comment has another checksum. ${apply}`;
    found.push({ level: 'warning', text });
  }
  const missing = needed.filter((privilege) => !granted.includes(privilege));
  if (missing.length > 0) {
    const text = `the role may not ${missing.join(', ')} on the table '${name}'. Grant it`;
    found.push({ level: 'problem', text });
  }
  return found;
}
