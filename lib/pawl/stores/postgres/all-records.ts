import { expectOptions } from '../../kernel/take-options.ts';
import { recordOf } from './row.ts';
import { openTable, type PostgresTable, type PostgresTableOptions, postgresTableOptionNames } from './table.ts';

const pageSize = 500;

/**
 * Reads every record of a claims table, for `operatorActs`. Memory holds a page. The role needs `SELECT` on the table.
 *
 * @throws OptionError when an option is wrong; SetupError; what the driver throws
 * @example
 * import { operatorActs } from 'pawl/operate';
 * import { Pool } from 'pg';
 *
 * for await (const act of operatorActs(readAllRecords({ pool: new Pool() }))) console.log(JSON.stringify(act));
 */
export function readAllRecords(options: PostgresTableOptions): AsyncGenerator<object, void, undefined> {
  expectOptions(options, {
    door: 'readAllRecords',
    known: postgresTableOptionNames,
    docs: 'docs/reference/command-line.md',
  });
  return pages(openTable(options));
}

async function* pages({ ask, statements }: PostgresTable): AsyncGenerator<object, void, undefined> {
  let after = '';
  for (;;) {
    const rows = await ask(statements.listAll, [after, pageSize]);
    for (const row of rows) {
      yield recordOf(row);
      after = String(Reflect.get(row, 'id'));
    }
    if (rows.length < pageSize) return;
  }
}
