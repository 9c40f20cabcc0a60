import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { claimsOf, outboxOf, outboxTable, type PostgresMigrationOptions } from './migration.ts';
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

/**
 * What to look at.
 *
 * @example
 * import { Pool } from 'pg';
 *
 * const options: CheckPostgresOptions = { pool: new Pool(), outboxTable: 'app.outbox' };
 */
export interface CheckPostgresOptions extends PostgresTableOptions, PostgresMigrationOptions {}

const known = { ...postgresTableOptionNames, outboxTable: true } as const satisfies NamesOf<CheckPostgresOptions>;

/** What the server says of itself, and of the tables. */
export interface PostgresFacts {
  /** Whether it replicates from another server, and is read-only. */
  readonly standby: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
  /** How the servers that replicate from it do so: `async`, `sync`, `quorum`, `potential`; `null`, where the role may not see it. */
  readonly replicas: readonly (string | null)[];
  readonly table: string | null;
  readonly comment: string | null;
  /** Which of `SELECT`, `INSERT`, `UPDATE` and `DELETE` the role has on the table. */
  readonly granted: readonly string[];
  readonly outbox: string | null;
  readonly outboxComment: string | null;
  readonly outboxGranted: readonly string[];
}

/**
 * What a database has of pawl's tables: `absent`, not both; `same`, as the migration of this version makes them; or `other`, a table of that name that is not known to be.
 *
 * @example
 * const isToBeMade = (state: PostgresMigrationState) => state === 'absent';
 */
export type PostgresMigrationState = 'absent' | 'same' | 'other';

const privileges: readonly string[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const needed: readonly string[] = ['SELECT', 'INSERT', 'UPDATE'];
/** Of the relay and of an operator, which write no message. */
const neededOfOutbox: readonly string[] = ['SELECT', 'UPDATE', 'DELETE'];

/** What the server says of the table whose quoted name is the parameter. */
const tableFacts = (
  parameter: string,
  [table, comment, granted]: readonly string[],
) => `to_regclass(${parameter})::text AS "${table}",
  obj_description(to_regclass(${parameter}), 'pg_class') AS "${comment}",
  ARRAY(SELECT privilege FROM unnest($3::text[]) AS privilege WHERE has_table_privilege(to_regclass(${parameter}), privilege)) AS "${granted}"`;

const factsOf = `SELECT pg_is_in_recovery() AS standby, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS "synchronousCommit",
  ARRAY(SELECT sync_state FROM pg_stat_replication) AS replicas,
  ${tableFacts('$1', ['table', 'comment', 'granted'])}, ${tableFacts('$2', ['outbox', 'outboxComment', 'outboxGranted'])}`;

async function readFacts(options: CheckPostgresOptions, door: string) {
  expectOptions(options, { door, known, docs: 'docs/guides/postgres.md' });
  const { outboxTable: outbox = outboxTable, ...of } = options;
  const { ask, name } = openTable(of);
  const [facts] = await ask(factsOf, [quoted(name), quoted(outbox), privileges]);
  return { facts: facts as PostgresFacts, name, outbox };
}

/**
 * Looks whether a database is as pawl needs it: the tables, the permissions of the pool's role, and whether a commit that the server has acknowledged can be
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
export async function checkPostgres(options: CheckPostgresOptions): Promise<readonly PostgresFinding[]> {
  const { facts, name, outbox } = await readFacts(options, 'checkPostgres');
  return findingsOf(facts, name, outbox);
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
export async function readPostgresMigration(options: CheckPostgresOptions): Promise<PostgresMigrationState> {
  const { facts, name, outbox } = await readFacts(options, 'readPostgresMigration');
  const isOther = (table: string | null, comment: string | null, ours: string) => table !== null && comment !== ours;
  if (isOther(facts.table, facts.comment, claimsOf(name).comment)) return 'other';
  if (isOther(facts.outbox, facts.outboxComment, outboxOf(outbox).comment)) return 'other';
  return facts.table === null || facts.outbox === null ? 'absent' : 'same';
}

/** What is wrong with what a server says of itself. */
export function findingsOf(facts: PostgresFacts, name: string, outbox = outboxTable): readonly PostgresFinding[] {
  return [...ofDurability(facts), ...ofTable(facts, name), ...ofOutbox(facts, outbox)];
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
  if (table === null) return [absent('problem', name)];
  const missing = needed.filter((privilege) => !granted.includes(privilege));
  return [...ofVersion(comment, claimsOf(name).comment, name), ...ofRole(missing, name)];
}

/** A role that may not read it has no use for it: a consumer without an outbox needs none. */
function ofOutbox({ outbox, outboxComment, outboxGranted }: PostgresFacts, name: string): PostgresFinding[] {
  if (outbox === null) return [absent('warning', name)];
  const missing = neededOfOutbox.filter((privilege) => !outboxGranted.includes(privilege));
  const isUsed = outboxGranted.length > 0;
  return [...ofVersion(outboxComment, outboxOf(name).comment, name), ...ofRole(isUsed ? missing : [], name)];
}

const apply = 'Apply the migration of pawl/postgres';

function absent(level: PostgresFinding['level'], name: string): PostgresFinding {
  return { level, text: `the table '${name}' is not there. ${apply}` };
}

function ofVersion(comment: string | null, ours: string, name: string): PostgresFinding[] {
  if (comment === ours) return [];
  const text = `the table '${name}' is not known to be of this version's migration: its comment has another checksum. ${apply}`;
  return [{ level: 'warning', text }];
}

function ofRole(missing: readonly string[], name: string): PostgresFinding[] {
  if (missing.length === 0) return [];
  return [{ level: 'problem', text: `the role may not ${missing.join(', ')} on the table '${name}'. Grant it` }];
}
