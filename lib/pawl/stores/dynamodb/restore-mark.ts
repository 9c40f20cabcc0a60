import type { DynamoTransport } from '../../aws/aws.ts';
import { explainedError } from '../../kernel/errors.ts';
import { joined, ownParts } from '../../kernel/name.ts';
import { wrongNumberIn } from '../../kernel/stored-numbers.ts';
import { call } from './calls.ts';
import { fieldsOf, type Item } from './item.ts';
import { describeTable, type PhysicalTable } from './physical-table.ts';
import { put } from './put.ts';

/**
 * The mark of a table that was restored from a point in time: one item.
 *
 * Owns: the item, and each change of it. Does not own: when a store believes it (`restored-store.ts`), nor what becomes of a key (`asRestored`).
 *
 * 1. A mark is of one physical table. A restore brings the mark of the earlier table along, and that is none.
 * 2. Every change is conditional on the mark that was seen: its table and its revision, which no later mark sets back.
 * 3. A mark that is lifted stays, as a note. It cannot be set again or corrected: consumers believe it for good.
 * 4. A mark may be lifted for one operation, when that operation's statement has said what the table has forgotten. It stands for every other one.
 * 5. A mark that is corrected to an earlier time is a new one: `reopenedAt` moves on, and what was lifted for single operations stands again.
 * 6. What an earlier table has forgotten, and its mark still stood for, this table has forgotten as well: its cut-off is the earlier one.
 */

/** No claim can have this id: an operation has a name before the `#`. */
export const restoredId: string = joined(ownParts('restored'));

const schema = 'restored-1';

/** What the mark of a restored table says. Times are epoch milliseconds. */
export interface RestoredMark {
  /** The table that the mark is of: DynamoDB's id. */
  readonly tableId: string;
  /** Since when effects may be forgotten: the point in time that the table was restored to, or the earlier one of a mark that still stood in it. */
  readonly cutOff: number;
  /** When the mark was set, or last corrected to an earlier time. No effect that the table has forgotten was applied later. */
  readonly reopenedAt: number;
  readonly by: string;
  readonly note: string;
  /** `undefined` while the mark stands. */
  readonly liftedAt?: number | undefined;
  readonly liftedBy?: string | undefined;
  readonly liftNote?: string | undefined;
  /** The operations that it was lifted for, one by one. */
  readonly liftedFor?: Readonly<Record<string, LiftedFor>> | undefined;
  /** What was corrected, by the revision of the mark that it has replaced. */
  readonly corrections?: Readonly<Record<string, RestoreCorrection>> | undefined;
  /** The cut-off of a mark of an earlier table that still stood in this one: the cut-off of this one is no later. */
  readonly carriedCutOff?: number | undefined;
  /** The cut-offs of the marks of earlier tables, by the time at which those were opened again. */
  readonly earlier?: Readonly<Record<string, number>> | undefined;
  /** Counts the changes of the mark. */
  readonly rev: number;
}

/** How the mark of a restored table was lifted for one operation. */
export interface LiftedFor {
  /** In epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly note: string;
}

/** Who corrected a mark and why, and what it said before. */
export interface RestoreCorrection extends LiftedFor {
  /** As it was before. In epoch milliseconds. */
  readonly cutOff: number;
  /** As it was before. In epoch milliseconds. */
  readonly reopenedAt: number;
  /** As it was before. */
  readonly liftedFor?: Readonly<Record<string, LiftedFor>> | undefined;
}

/** Whether a mark stands for an operation. */
export function stands({ liftedAt, liftedFor }: RestoredMark, operation: string): boolean {
  return liftedAt === undefined && (liftedFor === undefined || !Object.hasOwn(liftedFor, operation));
}

/** The mark in a table, of whichever table it is. @throws DynamoDB's error */
export async function findMark(transport: DynamoTransport, TableName: string): Promise<RestoredMark | undefined> {
  const Key = { id: { S: restoredId } };
  const { Item } = await call(transport, 'GetItem', { TableName, Key, ConsistentRead: true });
  return Item && markOf(Item);
}

const needed = { counts: ['rev'], times: ['cutOff', 'reopenedAt'] };
const optional = { counts: [], times: ['liftedAt', 'carriedCutOff'] };

/** @throws Error for a mark with a number that is none: a key would be in doubt for ever by it, or not at all */
function markOf({ id: _, v: __, ...item }: Item): RestoredMark {
  const mark = fieldsOf(item) as RestoredMark;
  const wrong = wrongNumberIn<string>({ ...mark }, needed, optional);
  if (wrong === undefined) return mark;
  const said = `the mark of the restored table is left alone: its ${wrong} is no number that pawl writes there`;
  throw explainedError(Error, said, 'foreign-item');
}

/** The mark of a table, if it has one of its own. @throws DynamoDB's error */
export async function readMark(transport: DynamoTransport, TableName: string): Promise<RestoredMark | undefined> {
  const found = await findMark(transport, TableName);
  if (found === undefined) return undefined;
  const { id } = await describeTable(transport, TableName);
  return found.tableId === id ? found : undefined;
}

/** A mark as a change makes it: `changeMark` says of which table it is, and counts. */
type MarkDraft = Omit<RestoredMark, 'tableId' | 'rev'>;

/** What becomes of a mark: it is written, or stays as it is. */
type Changed<Kept> =
  | { readonly kind: 'write'; readonly draft: MarkDraft }
  | { readonly kind: 'keep'; readonly mark: Kept };

/**
 * Changes the mark of a table.
 *
 * @param change `earlier`: the mark of an earlier table, where there is none of this one
 * @returns the mark as it stands
 * @throws what `change` throws; DynamoDB's error
 */
export async function changeMark<Kept extends RestoredMark | undefined>(
  transport: DynamoTransport,
  TableName: string,
  change: (own: RestoredMark | undefined, earlier: RestoredMark | undefined, table: PhysicalTable) => Changed<Kept>,
): Promise<RestoredMark | Kept> {
  const table = await describeTable(transport, TableName);
  for (;;) {
    const found = await findMark(transport, TableName);
    const own = found?.tableId === table.id ? found : undefined;
    const changed = change(own, own === undefined ? found : undefined, table);
    if (changed.kind === 'keep') return changed.mark;
    const next: RestoredMark = { ...changed.draft, tableId: table.id, rev: (found?.rev ?? 0) + 1 };
    const seen = found && { tableId: found.tableId, rev: found.rev };
    const written = await put(transport, { TableName, next: { id: restoredId, v: schema, ...next }, seen }, markOf);
    if (written.applied) return next;
  }
}

/** A cut-off that is set or corrected: by whom, when and why. Times are epoch milliseconds. */
export interface Cut extends LiftedFor {
  readonly cutOff: number;
}

/** The mark of a table; the one that it has, if that is its own. @param earlier the mark of an earlier table, which a restore has brought along */
export function markedBy(
  own: RestoredMark | undefined,
  earlier: RestoredMark | undefined,
  { cutOff, at, by, note }: Cut,
): Changed<RestoredMark> {
  if (own !== undefined) return { kind: 'keep', mark: own };
  if (earlier === undefined) return { kind: 'write', draft: { cutOff, reopenedAt: at, by, note } };
  const carriedCutOff = earlier.liftedAt === undefined ? earlier.cutOff : undefined;
  const draft = {
    cutOff: Math.min(cutOff, carriedCutOff ?? cutOff),
    carriedCutOff,
    reopenedAt: after(earlier, at),
    by,
    note,
    earlier: { ...earlier.earlier, [earlier.reopenedAt]: earlier.cutOff },
  };
  return { kind: 'write', draft };
}

/** A mark whose cut-off is corrected; as it is if there is nothing to correct, or it is lifted. */
export function correctedBy(
  own: RestoredMark | undefined,
  { cutOff: asked, at, by, note }: Cut,
): Changed<RestoredMark | undefined> {
  const cutOff = Math.min(asked, own?.carriedCutOff ?? asked);
  if (own === undefined || own.liftedAt !== undefined || own.cutOff === cutOff) return { kind: 'keep', mark: own };
  const { reopenedAt, liftedFor, rev, corrections } = own;
  const correction = { at, by, note, cutOff: own.cutOff, reopenedAt, liftedFor };
  const corrected = { ...own, cutOff, corrections: { ...corrections, [rev]: correction } };
  if (cutOff > own.cutOff) return { kind: 'write', draft: corrected };
  return { kind: 'write', draft: { ...corrected, reopenedAt: after(own, at), liftedFor: undefined } };
}

/** The time names a mark: a clock that is behind must not give it the name of an earlier one. */
function after({ reopenedAt }: RestoredMark, at: number): number {
  return Math.max(at, reopenedAt + 1);
}

/** Lifts a mark for one operation. @returns the mark as it stands; `undefined` if the table has none */
export function liftFor(
  transport: DynamoTransport,
  TableName: string,
  operation: string,
  lifted: LiftedFor,
  isJudged: (mark: RestoredMark) => boolean = () => true,
): Promise<RestoredMark | undefined> {
  return changeMark(transport, TableName, (own) => {
    if (own === undefined || !stands(own, operation) || !isJudged(own)) return { kind: 'keep', mark: own };
    return { kind: 'write', draft: { ...own, liftedFor: { ...own.liftedFor, [operation]: lifted } } };
  });
}
