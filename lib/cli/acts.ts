import { type OperatorAct, operatorActs } from 'pawl/operate';
import type { Io, Line } from './command.ts';
import { openAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions } from './options.ts';
import { plural, printJson, Table } from './output.ts';

interface Given extends Values<typeof accountOptions> {
  readonly since: Date | undefined;
  readonly json: boolean;
}

/** `pawl acts`. @returns 0 */
export async function acts({ options }: Line<Given>, io: Io): Promise<number> {
  const { since, json } = options;
  const account = await openAccount(options, { io, grant: 'grantActs' });
  let count = 0;
  try {
    const print = json ? (act: OperatorAct) => printJson(io, { kind: 'act', ...act }) : actsTable(io);
    for await (const act of operatorActs(account.records(), { since: since?.getTime() })) {
      count++;
      print(act);
    }
  } finally {
    account.close();
  }
  if (json) printJson(io, { kind: 'summary', acts: count });
  else io.out.line(count === 0 ? 'No record keeps an act.' : `${plural(count, 'act')}.`);
  return 0;
}

function actsTable(io: Io): (act: OperatorAct) => void {
  let table: Table | undefined;
  return ({ at, by, act, on, id, note }) => {
    table ??= new Table(io, [
      ['AT', 20],
      ['BY', 12],
      ['ACT', 15],
      ['ON', 11],
      ['ID', 40],
      ['NOTE', 0],
    ]);
    table.row(`${new Date(at).toISOString().slice(0, 19)}Z`, by, act, on, id, note);
  };
}
