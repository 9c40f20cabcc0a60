import { checkPostgres, postgresMigration, readPostgresMigration } from 'pawl/postgres';
import { type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { openDatabase } from './open-database.ts';
import { printFacts, printJson } from './output.ts';

interface Given {
  readonly database: string | undefined;
  readonly table: string | undefined;
  readonly 'outbox-table': string | undefined;
  readonly 'dry-run': boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** What is done about a table that has another form. */
const stays =
  'There is such a table, and it is not known to be of this migration: it is left as it is. Compare it with what --dry-run prints, or name another with --table or --outbox-table.';

/** `pawl migrate`. @returns 1 if a table is not as this version needs it, or the database is not */
export async function migrate({ options }: Line<Given>, io: Io): Promise<number> {
  if (options.database === undefined) throw new UsageError('Name a database with --database.');
  const { pool, tableName: table, close } = await openDatabase(options.database, options.table);
  try {
    const names = { table, outboxTable: options['outbox-table'] ?? 'pawl_outbox' };
    const of = { pool, ...names };
    const { sql, checksum } = postgresMigration(names);
    const before = await readPostgresMigration(of);
    const say = (state: string) => {
      if (options.json) printJson(io, { kind: 'migration', ...names, checksum, state });
      else printFacts(io, { table, 'outbox table': names.outboxTable, migration: checksum, state });
    };
    if (options['dry-run']) {
      say(before);
      if (before !== 'same' && !options.json) io.out.text(`\n${sql}`);
      return before === 'same' ? 0 : 1;
    }
    if (before === 'other') {
      say(before);
      io.error.line(stays);
      return 1;
    }
    if (before === 'absent') {
      if (!(await confirmed(options, io, `Make the tables ${table} and ${names.outboxTable}, with their indexes?`)))
        return 1;
      let isMade = false;
      const words = {
        done: () => (isMade ? 'The tables are made.' : undefined),
        left: () => 'The tables are made or not: pawl migrate --dry-run shows it.',
      };
      await io.ending.during(words, async () => {
        // One message of several statements is one transaction: the tables, their indexes and their comments, or none of them.
        await pool.query(sql);
        isMade = true;
      });
    }
    say(before === 'absent' ? 'made' : before);
    const findings = await checkPostgres(of);
    for (const { level, text } of findings) io.error.line(`${level}: ${text}.`);
    return findings.some(({ level }) => level === 'problem') ? 1 : 0;
  } finally {
    close();
  }
}
