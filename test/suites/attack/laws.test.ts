import { describe, expect, test } from 'vitest';
import type { ClaimRecord, ClaimStore } from '../../../lib/pawl/index.ts';
import { claimStoreLaws, type LawTest } from '../../../lib/testing/index.ts';
import { lawTest } from '../../support/law-test.ts';

type Law = readonly [name: string, run: () => Promise<void>];

/** The laws as a list, so that a test can see which of them a store breaks. */
function lawsOf(open: () => ClaimStore): readonly Law[] {
  const laws: Law[] = [];
  const collect = (name: string, run: () => Promise<void>) => laws.push([name, run]);
  const collector: LawTest = Object.assign(collect, { skip: () => {} });
  claimStoreLaws({ test: collector, open });
  return laws;
}

async function broken(open: () => ClaimStore): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [name, run] of lawsOf(open)) await run().catch(() => names.push(name));
  return names;
}

type Condition = (found: ClaimRecord | undefined, seen: ClaimRecord | undefined) => boolean;
const conditions: Readonly<Record<string, Condition>> = {
  claimId: (found, seen) => found?.claimId === seen?.claimId,
  rev: (found, seen) => found?.rev === seen?.rev,
};

interface Change {
  readonly without?: string;
  readonly pause?: () => Promise<void>;
  readonly idOf?: (id: string) => string;
}

/** The store of docs/guides/stores.md, with one thing changed. */
function mapStore({ without, pause, idOf = (id) => id }: Change = {}): ClaimStore {
  const records = new Map<string, ClaimRecord>();
  return {
    read: async (id) => records.get(idOf(id)),
    async write({ next, seen }) {
      const found = records.get(idOf(next.id));
      if (pause) await pause();
      const isSeen = Object.entries(conditions).every(([name, holds]) => name === without || holds(found, seen));
      if (!isSeen) return { applied: false, found };
      records.set(idOf(next.id), next);
      return { applied: true };
    },
  };
}

describe('the laws of a claim store', () => {
  test('hold for the store of docs/guides/stores.md', async () => {
    expect(await broken(() => mapStore())).toEqual([]);
  });

  for (const without of Object.keys(conditions)) {
    test(`break for the store of docs/guides/stores.md without its condition on ${without}`, async () => {
      expect(await broken(() => mapStore({ without }))).not.toEqual([]);
    });
  }

  test('break for a store that reads, compares and then writes', async () => {
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    expect(await broken(() => mapStore({ pause }))).not.toEqual([]);
  });

  for (const [collation, idOf] of Object.entries({
    'ignores capitals': (id: string) => id.toLowerCase(),
    'trims spaces': (id: string) => id.trimEnd(),
    'normalises Unicode': (id: string) => id.normalize(),
  })) {
    test(`break for a store whose collation ${collation}`, async () => {
      expect(await broken(() => mapStore({ idOf }))).not.toEqual([]);
    });
  }
});

interface Row {
  readonly claim_id: string;
  readonly rev: bigint | null;
  readonly status: string;
  readonly lease_until: bigint;
  readonly record: string;
}

/** A table as PostgreSQL would have it: `bytea` ids, `bigint` columns, the record as JSON in a text, and transactions one after the other. */
class Database {
  readonly #rows = new Map<string, Row>();
  #last: Promise<unknown> = Promise.resolve();

  #transaction<T>(statements: () => T): Promise<T> {
    const result = this.#last.then(() => new Promise((resolve) => setImmediate(resolve))).then(statements);
    this.#last = result.catch(() => {});
    return result;
  }

  connect(): ClaimStore {
    const bytes = (id: string) => Buffer.from(id).toString('hex');
    const recordOf = (row: Row | undefined): ClaimRecord | undefined => row && JSON.parse(row.record);
    return {
      read: (id) => this.#transaction(() => recordOf(this.#rows.get(bytes(id)))),
      write: ({ next, seen }) =>
        this.#transaction(() => {
          const row = this.#rows.get(bytes(next.id));
          if (!isSeen(row, seen)) return { applied: false as const, found: recordOf(row) };
          this.#rows.set(bytes(next.id), {
            claim_id: next.claimId,
            rev: next.rev === undefined ? null : BigInt(next.rev),
            status: next.status,
            lease_until: BigInt(next.leaseUntil),
            record: JSON.stringify(next),
          });
          return { applied: true as const };
        }),
    };
  }
}

function isSeen(row: Row | undefined, seen: ClaimRecord | undefined): boolean {
  if (row === undefined || seen === undefined) return row === seen;
  if (row.claim_id !== seen.claimId) return false;
  if (seen.rev !== undefined) return row.rev === BigInt(seen.rev);
  return row.rev === null && row.status === seen.status && row.lease_until === BigInt(seen.leaseUntil);
}

const databases = new WeakMap<ClaimStore, Database>();
const databaseOf = (store: ClaimStore) => databases.get(store) ?? new Database();

claimStoreLaws({
  test: lawTest,
  name: 'a table as PostgreSQL has it',
  open() {
    const database = new Database();
    const store = database.connect();
    databases.set(store, database);
    return store;
  },
  openElsewhere: (store) => databaseOf(store).connect(),
  openLosingResponses(store) {
    const connection = databaseOf(store).connect();
    let lost = 0;
    return {
      lost: () => lost,
      store: {
        read: connection.read,
        async write(write) {
          const first = await connection.write(write);
          if (!first.applied) return first;
          lost += 1;
          return connection.write(write); // the response was lost, and the client sends the write again
        },
      },
    };
  },
});
