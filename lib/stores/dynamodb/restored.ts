import { expectOperation } from '../../claims/options.ts';
import { expectActedBy } from '../../claims/resolve.ts';
import { nodeHost } from '../../host.ts';
import { expect } from '../../kernel/check.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { explainedTable, explaining } from './explain.ts';
import { type TableOptions, tableOf, tableOptionNames } from './options.ts';
import { liftFor, putMark, type RestoredMark, readMark } from './restored-store.ts';

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
 * The mark of a table, if it has one.
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
 * @returns the mark that stands. If the table was marked before, it is that one, and nothing is changed
 * @throws OptionError; DynamoDB's error
 * @example
 * await markRestored({
 *   tableName: 'claims-restored',
 *   cutOff: new Date('2026-11-22T12:00:00Z'),
 *   by: 'maria',
 *   note: 'a bad deployment deleted claims',
 * });
 */
export async function markRestored(options: MarkRestoredOptions): Promise<RestoredMark> {
  expectOptions(options, { door: 'markRestored', known, docs });
  const { cutOff, by, note } = options;
  expectActedBy(by, note);
  const at = cutOff instanceof Date ? cutOff.getTime() : Number.NaN;
  const reopenedAt = nodeHost.now();
  expect(at > 0 && at <= reopenedAt, 'cutOff', 'a date that is not in the future', cutOff);
  const { nameOfTable, transport } = tableOf(options);
  const mark: RestoredMark = { cutOff: at, reopenedAt, by, note };
  const set = await putMark(transport, nameOfTable(), mark, 'attribute_not_exists(id)');
  return set ? mark : ((await readMark(transport, nameOfTable())) ?? mark);
}

/**
 * Lifts the mark of a restored table: from then on, a key without a record is new. Consumers see it within 30 seconds. It cannot be undone.
 *
 * With `operation`, it is lifted for that operation only, and stands for every other operation.
 *
 * @returns the mark as it stands, lifted by this call or by an earlier one; `undefined` if the table has none
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
  if (operation !== undefined) return liftFor(transport, nameOfTable(), operation, { at: nodeHost.now(), by, note });
  const found = await readMark(transport, nameOfTable());
  if (found === undefined || found.liftedAt !== undefined) return found;
  const lifted = { ...found, liftedAt: nodeHost.now(), liftedBy: by, liftNote: note };
  const applied = await putMark(
    transport,
    nameOfTable(),
    lifted,
    'attribute_exists(id) AND attribute_not_exists(liftedAt)',
  );
  return applied ? lifted : readMark(transport, nameOfTable());
}
