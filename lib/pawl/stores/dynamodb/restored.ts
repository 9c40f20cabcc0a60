import type { DynamoTransport } from '../../aws/aws.ts';
import { sdk } from '../../aws/sdk.ts';
import { nodeHost } from '../../host.ts';
import { expect } from '../../kernel/check.ts';
import { OptionError } from '../../kernel/errors.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { expectOperation } from '../../rules/identity.ts';
import { expectActedBy } from '../../rules/resolve.ts';
import { explainedTable, explaining } from './explain.ts';
import { type TableOptions, tableOptionNames } from './options.ts';
import type { PhysicalTable } from './physical-table.ts';
import { type Cut, changeMark, correctedBy, liftFor, markedBy, type RestoredMark, readMark } from './restore-mark.ts';
import { openTable } from './table.ts';

const docs = 'docs/guides/restore.md';

/**
 * Who sets or lifts a mark, and why.
 *
 * @example
 * const options: RestoredTableOptions = { tableName: 'claims-restored', by: 'maria', note: 'compared with the statement' };
 */
export interface RestoredTableOptions extends TableOptions {
  /** The name of the person or the job. */
  readonly by: string;
  /** Why. At most 2,000 characters. */
  readonly note: string;
}

/**
 * The options of `liftRestore`.
 *
 * @example
 * const options: LiftRestoreOptions = { tableName: 'claims-restored', operation: 'charge', by: 'maria', note: 'compared with the statement' };
 */
export interface LiftRestoreOptions extends RestoredTableOptions {
  /**
   * The operation to lift the mark for.
   * @default every operation
   */
  readonly operation?: string | undefined;
}

/**
 * The options of `markRestored`.
 *
 * @example
 * const options: MarkRestoredOptions = {
 *   tableName: 'claims-restored',
 *   cutOff: new Date('2026-11-22T12:00:00Z'),
 *   by: 'maria',
 *   note: 'a bad deployment deleted claims',
 * };
 */
export interface MarkRestoredOptions extends RestoredTableOptions {
  /** The point in time that the table was restored to. */
  readonly cutOff: Date;
}

const acted = { ...tableOptionNames, by: true, note: true } as const satisfies NamesOf<RestoredTableOptions>;
const knownOfLift = { ...acted, operation: true } as const satisfies NamesOf<LiftRestoreOptions>;
const known = { ...acted, cutOff: true } as const satisfies NamesOf<MarkRestoredOptions>;

/**
 * The mark of a table, if it has one of its own. One that a restore has brought along is none.
 * @throws DynamoDB's error
 * @example
 * const mark = await readRestored({ tableName: 'claims-restored' });
 * if (mark && mark.liftedAt === undefined) console.log(`restored to ${new Date(mark.cutOff).toISOString()}`);
 */
export async function readRestored(options: TableOptions): Promise<RestoredMark | undefined> {
  expectOptions(options, { door: 'readRestored', known: tableOptionNames, docs });
  const { nameOfTable, transport } = tableOf(options);
  return explaining(explainedTable(nameOfTable, transport, 'grantRestore'), () => readMark(transport, nameOfTable()));
}

/**
 * Marks a table that was restored from a point in time, before a consumer uses it. Every consumer of the earlier table has stopped by then.
 *
 * A restore brings the mark of the earlier table along, if that had one. It does not count, and is replaced. If it still stood, what the earlier table has
 * forgotten is forgotten here as well: then the mark has the earlier one of the two cut-offs.
 *
 * @returns the mark that stands. If the table was marked before, it is that one, and nothing is changed: see `correctRestore`
 * @throws OptionError, also if DynamoDB says that the table was restored to an earlier time; DynamoDB's error
 * @example
 * await markRestored({
 *   tableName: 'claims-restored',
 *   cutOff: new Date('2026-11-22T12:00:00Z'),
 *   by: 'maria',
 *   note: 'a bad deployment deleted claims',
 * });
 */
export async function markRestored(options: MarkRestoredOptions): Promise<RestoredMark> {
  const { table, cut } = cutting('markRestored', options);
  return explaining(table, () =>
    changeMark(table.transport, table.TableName, (own, earlier, physical) =>
      markedBy(own, earlier, expectInTime(cut, physical)),
    ),
  );
}

/**
 * Corrects the cut-off of a mark that stands. The mark keeps what it said before, who corrected it, and why.
 *
 * - To a later time: nothing else changes.
 * - To an earlier time: what was decided by the wrong one may be wrong. So the mark is a new one from now on. Whatever is not completed, rejected or
 *   parked is in doubt once more, and the mark stands again for the operations that it was lifted for one by one. Consumers see it within 30 seconds.
 *
 * @returns the mark as it stands; `undefined` if the table has none. One that is lifted is not changed: consumers believe it for good
 * @throws OptionError, also if DynamoDB says that the table was restored to an earlier time; DynamoDB's error
 * @example
 * await correctRestore({
 *   tableName: 'claims-restored',
 *   cutOff: new Date('2026-11-22T11:00:00Z'),
 *   by: 'maria',
 *   note: 'the point in time was in another time zone',
 * });
 */
export async function correctRestore(options: MarkRestoredOptions): Promise<RestoredMark | undefined> {
  const { table, cut } = cutting('correctRestore', options);
  return explaining(table, () =>
    changeMark(table.transport, table.TableName, (own, _, physical) => correctedBy(own, expectInTime(cut, physical))),
  );
}

function tableOf(options: TableOptions): { readonly nameOfTable: () => string; readonly transport: DynamoTransport } {
  const { nameOfTable, aws } = openTable(options, sdk);
  return { nameOfTable, transport: aws.dynamodb };
}

/** What setting and correcting a mark have in common. @throws OptionError */
function cutting(door: 'markRestored' | 'correctRestore', options: MarkRestoredOptions) {
  expectOptions(options, { door, known, docs });
  const { cutOff, by, note } = options;
  expectActedBy(by, note);
  const at = nodeHost.now();
  const time = cutOff instanceof Date ? cutOff.getTime() : Number.NaN;
  expect(time > 0 && time <= at, 'cutOff', 'a date that is not in the future', cutOff);
  const { nameOfTable, transport } = tableOf(options);
  return {
    table: { ...explainedTable(nameOfTable, transport, 'grantRestore'), transport },
    cut: { cutOff: time, at, by, note },
  };
}

/** @throws OptionError if DynamoDB says that it has restored the table to an earlier time: what lies between would count as remembered */
function expectInTime(cut: Cut, { restoredTo }: PhysicalTable): Cut {
  const iso = (at: number) => new Date(at).toISOString();
  if (restoredTo === undefined || cut.cutOff <= restoredTo) return cut;
  throw new OptionError(
    `cutOff: expected ${iso(restoredTo)}, the time that DynamoDB has restored the table to, or an earlier one; got ${iso(cut.cutOff)}`,
  );
}

/**
 * Lifts the mark of a restored table: from then on, a key without a record is new. Consumers see it within 30 seconds. It cannot be undone.
 *
 * With `operation`, it is lifted for that operation only, and stands for every other operation.
 *
 * @returns the mark as it stands, lifted by this call or by an earlier one; `undefined` if the table has none of its own
 * @throws OptionError; DynamoDB's error
 * @example
 * await liftRestore({ tableName: 'claims-restored', by: 'maria', note: 'compared with the statement of 22 November' });
 */
export async function liftRestore(options: LiftRestoreOptions): Promise<RestoredMark | undefined> {
  expectOptions(options, { door: 'liftRestore', known: knownOfLift, docs });
  const { by, note, operation } = options;
  expectActedBy(by, note);
  if (operation !== undefined) expectOperation(operation);
  const { nameOfTable, transport } = tableOf(options);
  return explaining(explainedTable(nameOfTable, transport, 'grantRestore'), () => {
    const at = nodeHost.now();
    if (operation !== undefined) return liftFor(transport, nameOfTable(), operation, { at, by, note });
    return changeMark<RestoredMark | undefined>(transport, nameOfTable(), (own) => {
      if (own === undefined || own.liftedAt !== undefined) return { kind: 'keep', mark: own };
      return { kind: 'write', draft: { ...own, liftedAt: at, liftedBy: by, liftNote: note } };
    });
  });
}
