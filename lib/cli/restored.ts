import { liftRestore, markRestored, type RestoredMark, readRestored } from '../stores/dynamodb/index.ts';
import { type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { openAccount } from './open-account.ts';
import { printFacts, printJson, time } from './output.ts';

/** `pawl restored`. @returns 1 if the mark stands, or nothing was changed */
export async function restored(line: Line, io: Io): Promise<number> {
  if (line.positionals.length > 0) throw new UsageError('pawl restored takes no names. Name the table with --table.');
  const cutOff = line.text('cut-off');
  const lifts = line.flag('lift');
  if (lifts && cutOff !== undefined) throw new UsageError('--lift and --cut-off exclude each other.');
  const operation = line.text('operation');
  if (operation !== undefined && !lifts) throw new UsageError('--operation is for --lift alone.');
  const writes = lifts || cutOff !== undefined;
  const at = cutOff === undefined ? undefined : timeOf(cutOff);
  const acted = writes ? { by: line.needed('by'), note: line.needed('note') } : { by: '', note: '' };
  const account = await openAccount(line, { io });
  try {
    const { tableName, dynamo: client } = account;
    const table = { tableName, client };
    const question = lifts
      ? `Lift the mark of ${tableName}${operation === undefined ? '' : ` for ${operation}`}? A key without a record runs from then on, also one that the table has forgotten.`
      : `Mark ${tableName} as restored? Every key that it may have forgotten is in doubt until the mark is lifted.`;
    if (writes && !(await confirmed(line, io, question))) {
      io.error.write('Nothing was changed.\n');
      return 1;
    }
    const mark =
      at === undefined
        ? await (lifts ? liftRestore({ ...table, ...acted, operation }) : readRestored(table))
        : await markRestored({ ...table, ...acted, cutOff: at });
    print(line, io, tableName, mark);
    return mark !== undefined && mark.liftedAt === undefined ? 1 : 0;
  } finally {
    account.close();
  }
}

function print(line: Line, io: Io, table: string, mark: RestoredMark | undefined): void {
  if (line.flag('json')) {
    printJson(io, { kind: 'restored', table, marked: mark !== undefined, ...mark });
    return;
  }
  if (mark === undefined) {
    io.out.write(`The table ${table} has no mark of a restore.\n`);
    return;
  }
  const { cutOff, reopenedAt, by, note, liftedAt, liftedBy, liftNote, liftedFor = {} } = mark;
  const lifted = Object.entries(liftedFor).map(
    ([operation, { at, by, note }]) => [`lifted for ${operation}`, `${time(at)} by ${by}: ${note}`] as const,
  );
  printFacts(io, {
    table,
    'restored to': time(cutOff),
    marked: `${time(reopenedAt)} by ${by}: ${note}`,
    mark: liftedAt === undefined ? 'stands' : `lifted ${time(liftedAt)} by ${liftedBy}: ${liftNote}`,
    ...Object.fromEntries(lifted),
  });
}

/** @throws UsageError */
function timeOf(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new UsageError(`--cut-off: expected a time such as 2026-11-22T12:00:00Z; got '${text}'.`);
  return at;
}
