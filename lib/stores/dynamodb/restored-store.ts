import { operationOf } from '../../claims/open.ts';
import type { ClaimRecord } from '../../claims/record.ts';
import { asRestored, isForgottenRecord, type KnowsRestore, type Restore } from '../../claims/restored.ts';
import type { ClaimStore, WriteResult } from '../../claims/store.ts';
import { nodeHost } from '../../host.ts';
import { OptionError } from '../../kernel/errors.ts';
import { call } from './calls.ts';
import { refusedBy } from './errors.ts';
import { fieldsOf, type Item, toItem } from './item.ts';
import type { DynamoTransport } from './transport.ts';

/**
 * The mark of a table that was restored from a point in time: one item. While it stands, a store with `restored: true` takes every key that the
 * table may have forgotten for in doubt.
 *
 * Owns: the item, and when it is read. Does not own: what becomes of a key (`asRestored`), which the consumer's policy then decides.
 *
 * 1. A table without a mark serves no store with `restored: true`: a deployment that comes before the mark runs nothing.
 * 2. A mark that is lifted stays, as a note. It cannot be set again: the next restore makes another table.
 * 3. A mark may be lifted for one operation, when that operation's statement has said what the table has forgotten. It stands for every other one.
 */

/** No claim can have this id: an operation has a name before the `#`. */
export const restoredId = '#restored';

const schema = 'restored-1';
/** How long a mark that stands is believed. A lifted one is believed for good. */
const rereadMs = 30_000;

/** What the mark of a restored table says. Times are epoch milliseconds. */
export interface RestoredMark {
  /** The point in time that the table was restored to. */
  readonly cutOff: number;
  /** When the mark was set. No effect that the table has forgotten was applied later. */
  readonly reopenedAt: number;
  readonly by: string;
  readonly note: string;
  /** `undefined` while the mark stands. */
  readonly liftedAt?: number | undefined;
  readonly liftedBy?: string | undefined;
  readonly liftNote?: string | undefined;
  /** The operations that it was lifted for, one by one. */
  readonly liftedFor?: Readonly<Record<string, LiftedFor>> | undefined;
  /** Counts the operations that it was lifted for. */
  readonly rev?: number | undefined;
}

/** How the mark of a restored table was lifted for one operation. */
export interface LiftedFor {
  /** In epoch milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly note: string;
}

/** Whether a mark stands for an operation. */
export function stands({ liftedAt, liftedFor }: RestoredMark, operation: string): boolean {
  return liftedAt === undefined && (liftedFor === undefined || !Object.hasOwn(liftedFor, operation));
}

export async function readMark(transport: DynamoTransport, TableName: string): Promise<RestoredMark | undefined> {
  const Key = { id: { S: restoredId } };
  const { Item } = await call(transport, 'GetItem', { TableName, Key, ConsistentRead: true });
  if (Item === undefined) return undefined;
  const { id: _, v: __, ...mark } = Item;
  return fieldsOf(mark) as RestoredMark;
}

export async function putMark(
  transport: DynamoTransport,
  TableName: string,
  mark: RestoredMark,
  condition: string,
  values?: Item,
): Promise<boolean> {
  const Item = toItem({ id: restoredId, v: schema, ...mark });
  try {
    await call(transport, 'PutItem', {
      TableName,
      Item,
      ConditionExpression: condition,
      ...(values && { ExpressionAttributeValues: values }),
    });
    return true;
  } catch (error) {
    if (refusedBy(error) === undefined) throw error;
    return false;
  }
}

/**
 * Lifts a mark for one operation.
 *
 * @returns the mark as it stands; `undefined` if the table has none
 */
export async function liftFor(
  transport: DynamoTransport,
  TableName: string,
  operation: string,
  lifted: LiftedFor,
): Promise<RestoredMark | undefined> {
  for (;;) {
    const mark = await readMark(transport, TableName);
    if (mark === undefined || !stands(mark, operation)) return mark;
    const { rev = 0, liftedFor } = mark;
    const next = { ...mark, rev: rev + 1, liftedFor: { ...liftedFor, [operation]: lifted } };
    // Two operations may be lifted at once: neither may take the other one's away.
    const isSeen = rev === 0 ? 'attribute_not_exists(rev)' : 'rev = :rev';
    const condition = `attribute_exists(id) AND attribute_not_exists(liftedAt) AND ${isSeen}`;
    const values = rev === 0 ? undefined : { ':rev': { N: String(rev) } };
    if (await putMark(transport, TableName, next, condition, values)) return next;
  }
}

/** The mark of a store's table. */
export interface RestoreOfTable {
  /** The restore, while its mark stands for the operation of this claim. Believes what it has read for a while. @throws OptionError if there is no mark */
  ofClaim(id: string): Promise<Restore | undefined>;
  readonly forStatements: KnowsRestore;
}

/** Reads the mark of a table when it is first needed, and again from time to time while it stands. */
export function restoreOf(transport: DynamoTransport, nameOfTable: () => string): RestoreOfTable {
  let known: { readonly mark: RestoredMark; readonly at: number } | undefined;
  let reading: Promise<RestoredMark> | undefined;

  async function look(): Promise<RestoredMark> {
    const at = nodeHost.now();
    const mark = await readMark(transport, nameOfTable());
    if (mark === undefined) {
      throw new OptionError(
        `restored: the table '${nameOfTable()}' has no mark of a restore, so nothing runs. Mark the table first (npx pawl restored), or remove the option`,
        'not-restored',
      );
    }
    known = { mark, at };
    return mark;
  }

  async function believed(): Promise<RestoredMark> {
    if (known !== undefined && (known.mark.liftedAt !== undefined || nodeHost.now() - known.at < rereadMs)) {
      return known.mark;
    }
    reading ??= look().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    async ofClaim(id) {
      const mark = await believed();
      return stands(mark, operationOf(id)) ? mark : undefined;
    },
    forStatements: {
      async readRestore(operation) {
        const mark = await look();
        return { cutOff: mark.cutOff, reopenedAt: mark.reopenedAt, stands: stands(mark, operation) };
      },
      async liftRestore(operation, { by, note }) {
        await liftFor(transport, nameOfTable(), operation, { at: nodeHost.now(), by, note });
        await look();
      },
    },
  };
}

/** A store over a table that was restored: what the table may have forgotten is in doubt. */
export function restoredStore<Store extends ClaimStore>(store: Store, restore: RestoreOfTable): Store & KnowsRestore {
  /** What stands behind a record that was changed for the one who decides. */
  const real = new WeakMap<ClaimRecord, ClaimRecord>();

  function seenAs(id: string, found: ClaimRecord | undefined, standing: Restore): ClaimRecord {
    const shown = asRestored(id, found, standing);
    if (found !== undefined && shown !== found) real.set(shown, found);
    return shown;
  }

  return {
    ...store,
    ...restore.forStatements,
    async read(id) {
      // Both at once. The mark is read again if it was lifted meanwhile: then the record is as new as that.
      const [standing, found] = await Promise.all([restore.ofClaim(id), store.read(id)]);
      return standing === undefined ? found : seenAs(id, found, standing);
    },
    async write({ next, seen }): Promise<WriteResult> {
      const standing = await restore.ofClaim(next.id);
      if (standing !== undefined && seen === undefined) {
        // A key that is not known to be new: it is decided again, as one in doubt.
        return { applied: false, found: seenAs(next.id, await store.read(next.id), standing) };
      }
      const behind = seen && (isForgottenRecord(seen) ? undefined : (real.get(seen) ?? seen));
      const written = await store.write({ next, seen: behind });
      if (written.applied || standing === undefined) return written;
      return { applied: false, found: seenAs(next.id, written.found, standing) };
    },
  };
}
