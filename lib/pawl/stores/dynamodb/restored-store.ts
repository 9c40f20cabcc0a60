import type { DynamoTransport } from '../../aws/aws.ts';
import { setupOf } from '../../kernel/aws-error.ts';
import { OptionError } from '../../kernel/errors.ts';
import { operationOf } from '../../rules/identity.ts';
import type { OpenClaim, OpenPage } from '../../rules/open-claims.ts';
import { type ClaimRecord, unlessLeftAlone } from '../../rules/record.ts';
import { asRestored, isForgottenRecord, type KnowsRestore, type Restore } from '../../rules/restored.ts';
import type { ClaimStore, WriteResult } from '../../rules/store.ts';
import { describeTable } from './physical-table.ts';
import { findMark, liftFor, type RestoredMark, stands } from './restore-mark.ts';

/**
 * A store over a table that was restored from a point in time. While the mark of the table stands, it takes every key that the table may have forgotten
 * for in doubt.
 *
 * Owns: when the mark is read, and how long it is believed. Does not own: the mark (`restore-mark.ts`), nor what becomes of a key (`asRestored`), which the
 * consumer's policy then decides.
 *
 * 1. A table without a mark of its own serves no such store: a deployment that comes before the mark runs nothing. Nor does one whose mark, or whose identity,
 *    the role may not read.
 * 2. Which table a name stands for is asked once, and again only if the mark is of another table.
 */

/** How long a mark that stands is believed. A lifted one is believed for good. */
const rereadMs = 30_000;

/** The mark of a store's table. */
export interface RestoreOfTable {
  readonly now: () => number;
  /** The restore, while its mark stands for the operation of this claim. Believes what it has read for a while. @throws OptionError if there is no mark */
  ofClaim(id: string): Promise<Restore | undefined>;
  readonly forStatements: KnowsRestore;
}

/** What a store is handed for a table that was restored. Only such a store carries the code of it. */
export interface RestoredTable {
  /** @internal */
  readonly open: (transport: DynamoTransport, nameOfTable: () => string, now: () => number) => OpenRestore;
}

/** The restore of a store's table, and what becomes of the store. */
export interface OpenRestore extends RestoreOfTable {
  /** The store, as one that takes for in doubt what its table may have forgotten. */
  over<Store extends ClaimStore>(store: Store): Store & KnowsRestore;
  /** A page of the index as this store, which is over the table, shows its claims. */
  shown(page: OpenPage, store: ClaimStore): Promise<OpenPage>;
}

/**
 * The table was restored from a point in time, and `pawl restored` has marked it.
 *
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE, restored: restoredTable });
 */
export const restoredTable: RestoredTable = {
  open(transport, nameOfTable, now) {
    const restore = restoreOf(transport, nameOfTable, now);
    return {
      ...restore,
      over: (store) => restoredStore(store, restore),
      shown: (page, store) => shownPage(page, store, restore),
    };
  },
};

/** Reads the mark of a table when it is first needed, and again from time to time while it stands. */
function restoreOf(transport: DynamoTransport, nameOfTable: () => string, now: () => number): RestoreOfTable {
  let known: { readonly mark: RestoredMark; readonly at: number } | undefined;
  let reading: Promise<RestoredMark> | undefined;
  let tableId: string | undefined;

  async function look(): Promise<RestoredMark> {
    const at = now();
    const TableName = nameOfTable();
    const mark = await findMark(transport, TableName);
    if (mark !== undefined && mark.tableId !== tableId) tableId = (await describeTable(transport, TableName)).id;
    if (mark === undefined || mark.tableId !== tableId) throw closed(TableName, mark);
    known = { mark, at };
    return mark;
  }

  /** @throws OptionError also if the role lacks a permission: that is no outage, which a store may be told to let everything run in */
  async function lookClosed(): Promise<RestoredMark> {
    try {
      return await look();
    } catch (error) {
      const setup = setupOf(error);
      if (setup?.kind !== 'denied') throw error;
      const action = setup.action ?? 'dynamodb:GetItem or dynamodb:DescribeTable';
      throw new OptionError(
        `restored: the role may not perform ${action} on the table '${nameOfTable()}', so its mark cannot be checked, and nothing runs. Grant it: claimsTable.grantClaims(fn)`,
        'not-restored',
      );
    }
  }

  async function believed(): Promise<RestoredMark> {
    if (known !== undefined && (known.mark.liftedAt !== undefined || now() - known.at < rereadMs)) return known.mark;
    reading ??= lookClosed().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    now,
    async ofClaim(id) {
      const mark = await believed();
      return stands(mark, operationOf(id)) ? mark : undefined;
    },
    forStatements: {
      async readRestore(operation) {
        const mark = await lookClosed();
        const { cutOff, reopenedAt, earlier = {} } = mark;
        const firstCutOff = Math.min(cutOff, ...Object.values(earlier));
        return { cutOff, firstCutOff, reopenedAt, stands: stands(mark, operation) };
      },
      async liftRestore(operation, { by, note }, { reopenedAt }) {
        const isJudged = (mark: RestoredMark) => mark.reopenedAt === reopenedAt;
        await liftFor(transport, nameOfTable(), operation, { at: now(), by, note }, isJudged);
        return !stands(await lookClosed(), operation);
      },
    },
  };
}

function closed(table: string, found: RestoredMark | undefined): OptionError {
  const lacks =
    found === undefined
      ? 'has no mark of a restore'
      : 'has no mark of its own: the one in it is of an earlier table, and came along with a restore';
  return new OptionError(
    `restored: the table '${table}' ${lacks}, so nothing runs. Mark the table first (npx pawl restored), or remove the option`,
    'not-restored',
  );
}

/** A store over a table that was restored: what the table may have forgotten is in doubt. */
export function restoredStore<Store extends ClaimStore>(store: Store, restore: RestoreOfTable): Store & KnowsRestore {
  /** What stands behind a record that was changed for the one who decides. */
  const real = new WeakMap<ClaimRecord, ClaimRecord>();

  function seenAs(id: string, found: ClaimRecord | undefined, standing: Restore): ClaimRecord {
    const shown = asRestored(id, found, standing, restore.now());
    if (found !== undefined && shown !== found) real.set(shown, found);
    return shown;
  }

  async function read(id: string, waitsMs?: number): Promise<ClaimRecord | undefined> {
    // Both at once. The mark is read again if it was lifted meanwhile: then the record is as new as that.
    const [standing, found] = await Promise.all([restore.ofClaim(id), store.read(id, waitsMs)]);
    return standing === undefined ? found : seenAs(id, found, standing);
  }

  return {
    ...store,
    ...restore.forStatements,
    read,
    async write({ next, seen, waitsMs }): Promise<WriteResult> {
      const standing = await restore.ofClaim(next.id);
      if (standing !== undefined && seen === undefined) {
        // A key that is not known to be new: it is decided again, as one in doubt.
        return { applied: false, found: seenAs(next.id, await store.read(next.id, waitsMs), standing) };
      }
      const behind = seen && (isForgottenRecord(seen) ? undefined : (real.get(seen) ?? seen));
      const written = await store.write({ next, seen: behind, waitsMs });
      if (written.applied || standing === undefined) return written;
      return { applied: false, found: seenAs(next.id, written.found, standing) };
    },
  };
}

/** An operator's act names the fence of what was listed: it has to be the one that the act will find. */
async function shownPage(page: OpenPage, store: ClaimStore, restore: RestoreOfTable): Promise<OpenPage> {
  async function shown(claim: OpenClaim): Promise<OpenClaim> {
    if ((await restore.ofClaim(claim.id)) === undefined) return claim;
    const record = (await unlessLeftAlone(store.read(claim.id))) ?? claim;
    if (record === 'left-alone') return claim;
    const { fence, unknownAt = claim.unknownAt } = record;
    return { ...claim, fence, unknownAt };
  }
  return { ...page, claims: await Promise.all(page.claims.map(shown)) };
}
