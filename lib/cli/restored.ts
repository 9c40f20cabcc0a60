import { correctRestore, liftRestore, markRestored, type RestoredMark, readRestored } from 'pawl/dynamodb';
import { actedBy, type Io, type Line, UsageError } from './command.ts';
import { confirmed } from './confirm.ts';
import { withAccount } from './open-account.ts';
import type { Values } from './option.ts';
import type { dynamoAccount } from './options.ts';
import { printFacts, printJson, time } from './output.ts';

interface Given extends Values<typeof dynamoAccount> {
  readonly 'cut-off': Date | undefined;
  readonly correct: boolean;
  readonly lift: boolean;
  readonly operation: string | undefined;
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

/** What the command line asks for. */
type Asked =
  | { readonly kind: 'show' }
  | { readonly kind: 'mark' | 'correct'; readonly cutOff: Date }
  | { readonly kind: 'lift'; readonly operation: string | undefined };

/** `pawl restored`. @returns 1 if the mark stands, or nothing was changed */
export async function restored({ options }: Line<Given>, io: Io): Promise<number> {
  const asked = askedBy(options);
  const acted = asked.kind === 'show' ? { by: '', note: '' } : actedBy(options);
  return withAccount(options, { io, grant: 'grantRestore' }, async ({ tableName, aws }) => {
    const table = { tableName, aws };
    const before = await readRestored(table);
    const refused = refusalOf(asked, tableName, before);
    if (refused !== undefined) {
      print(options, io, tableName, before);
      io.error.line(`${refused} Nothing was changed.`);
      return 1;
    }
    if (asked.kind !== 'show' && !(await confirmed(options, io, questionOf(asked, tableName, before)))) return 1;
    let said: string | undefined;
    const left = () => 'The mark is written or not: pawl restored shows it.';
    const mark = await io.ending.during({ done: () => said, left }, async () => {
      const written = await carryOut();
      said = {
        show: undefined,
        mark: 'The table is marked.',
        correct: 'The mark is corrected.',
        lift: 'The mark is lifted.',
      }[asked.kind];
      return written;
    });
    print(options, io, tableName, mark);
    return mark !== undefined && mark.liftedAt === undefined ? 1 : 0;

    function carryOut(): Promise<RestoredMark | undefined> | RestoredMark | undefined {
      switch (asked.kind) {
        case 'show':
          return before;
        case 'mark':
          return markRestored({ ...table, ...acted, cutOff: asked.cutOff });
        case 'correct':
          return correctRestore({ ...table, ...acted, cutOff: asked.cutOff });
        case 'lift':
          return liftRestore({ ...table, ...acted, operation: asked.operation });
      }
    }
  });
}

/** @throws UsageError */
function askedBy({ 'cut-off': cutOff, operation, lift: lifts, correct: corrects }: Given): Asked {
  if (lifts && cutOff !== undefined) throw new UsageError('--lift and --cut-off exclude each other.');
  if (operation !== undefined && !lifts) throw new UsageError('--operation is for --lift alone.');
  if (corrects && cutOff === undefined) throw new UsageError('--correct needs --cut-off, with the right time.');
  if (lifts) return { kind: 'lift', operation };
  return cutOff === undefined ? { kind: 'show' } : { kind: corrects ? 'correct' : 'mark', cutOff };
}

/** Why nothing can be done, by the mark that is there. */
function refusalOf(asked: Asked, table: string, mark: RestoredMark | undefined): string | undefined {
  switch (asked.kind) {
    case 'mark':
      if (mark === undefined) return undefined;
      if (mark.liftedAt !== undefined)
        return `${table} was marked, and the mark is lifted: consumers believe that for good.`;
      return `${table} is marked already.${mark.cutOff === asked.cutOff.getTime() ? '' : ' Say --correct to correct the cut-off.'}`;
    case 'correct':
      if (mark === undefined) return `${table} has no mark to correct.`;
      return mark.liftedAt === undefined ? undefined : 'The mark is lifted: consumers believe that for good.';
    case 'lift':
      // Consumers with `restored: restoredTable` run nothing in such a table: an operator who believes it lifted would wait for them.
      return mark === undefined ? `${table} has no mark to lift.` : undefined;
    case 'show':
      return undefined;
  }
}

function questionOf(asked: Exclude<Asked, { kind: 'show' }>, table: string, mark: RestoredMark | undefined): string {
  if (asked.kind === 'lift') {
    const { operation } = asked;
    return `Lift the mark of ${table}${operation === undefined ? '' : ` for ${operation}`}? A key without a record runs from then on, also one that the table has forgotten.`;
  }
  const cutOff = time(asked.cutOff.getTime());
  if (asked.kind === 'mark') {
    return `Mark ${table} as restored to ${cutOff}? Every key that it may have forgotten is in doubt until the mark is lifted.`;
  }
  const { cutOff: before = 0, liftedFor = {} } = mark ?? {};
  const lifted = Object.keys(liftedFor);
  const again = lifted.length === 0 ? '' : `, and the mark stands again for ${lifted.join(', ')}`;
  const since =
    asked.cutOff.getTime() < before
      ? ` Whatever is not completed, rejected or parked is in doubt once more${again}.`
      : '';
  return `Correct the mark of ${table} from ${time(before)} to ${cutOff}?${since}`;
}

function print({ json }: Given, io: Io, table: string, mark: RestoredMark | undefined): void {
  if (json) {
    printJson(io, { kind: 'restored', table, marked: mark !== undefined, ...mark });
    return;
  }
  if (mark === undefined) {
    io.out.line(`The table ${table} has no mark of a restore.`);
    return;
  }
  const { cutOff, reopenedAt, by, note, liftedAt, liftedBy, liftNote, liftedFor = {}, corrections = {} } = mark;
  const corrected = Object.values(corrections).map(
    ({ at, cutOff, by, note }, index) =>
      [`correction ${index + 1}`, `${time(at)} by ${by}, of ${time(cutOff)}: ${note}`] as const,
  );
  const lifted = Object.entries(liftedFor).map(
    ([operation, { at, by, note }]) => [`lifted for ${operation}`, `${time(at)} by ${by}: ${note}`] as const,
  );
  printFacts(io, {
    table,
    'restored to': time(cutOff),
    marked: `${time(reopenedAt)} by ${by}: ${note}`,
    ...Object.fromEntries(corrected),
    mark: liftedAt === undefined ? 'stands' : `lifted ${time(liftedAt)} by ${liftedBy}: ${liftNote}`,
    ...Object.fromEntries(lifted),
  });
}
