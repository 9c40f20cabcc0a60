import { type OperatorAct, operatorActs } from 'pawl/operate';
import type { Io, Line } from './command.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { account as accountOptions } from './options.ts';
import { type Columns, plural, printer, printJson } from './output.ts';

interface Given extends Values<typeof accountOptions> {
  readonly since: Date | undefined;
  readonly json: boolean;
}

/** `pawl acts`. @returns 0 */
export async function acts({ options }: Line<Given>, io: Io): Promise<number> {
  const { since, json } = options;
  let count = 0;
  await withAccount(options, { io, grant: 'grantActs' }, async ({ records }) => {
    const print = printer<OperatorAct>(io, options, 'act', columns, ({ at, by, act, on, id, note }) => [
      `${new Date(at).toISOString().slice(0, 19)}Z`,
      ...[by, act, on, id, note],
    ]);
    for await (const act of operatorActs(records(), { since: since?.getTime() })) {
      count++;
      print(act);
    }
  });
  if (json) printJson(io, { kind: 'summary', acts: count });
  else io.out.line(count === 0 ? 'No record keeps an act.' : `${plural(count, 'act')}.`);
  return 0;
}

const columns: Columns = [
  ['AT', 20],
  ['BY', 12],
  ['ACT', 15],
  ['ON', 11],
  ['ID', 40],
  ['NOTE', 0],
];
