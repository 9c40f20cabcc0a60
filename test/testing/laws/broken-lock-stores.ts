import { setTimeout as sleep } from 'node:timers/promises';
import type { LockStore, LockWrite, StoredRecord } from '../../../lib/pawl/locks/index.ts';
import { conditions, mapLockStore, rightLockStore } from './map-lock-store.ts';

/** Lock stores that look right and are not. */
export const brokenLockStores: Readonly<Record<string, () => LockStore>> = {
  ...Object.fromEntries(
    Object.entries(conditions).map(([name, removed]) => [
      `does not ask whether ${name}`,
      () => mapLockStore(Object.values(conditions).filter((condition) => condition !== removed)),
    ]),
  ),
  'writes each record by itself': () =>
    wrapped((store) => ({
      async write(writes) {
        const results = await Promise.all(writes.map((write) => store.write([write])));
        if (results.every(({ applied }) => applied)) return { applied: true };
        return { applied: false, found: await store.read(idsOf(writes)) };
      },
    })),
  'asks about the first record only': () =>
    wrapped((store) => ({
      async write(writes) {
        const found = await store.read(idsOf(writes));
        return store.write(writes.map(({ next, seen }, n) => ({ next, seen: n === 0 ? seen : found[n] })));
      },
    })),
  'asks about the last record only': () =>
    wrapped((store) => ({
      async write(writes) {
        const found = await store.read(idsOf(writes));
        return store.write(
          writes.map(({ next, seen }, n) => ({ next, seen: n === writes.length - 1 ? seen : found[n] })),
        );
      },
    })),
  'checks, waits, and then writes': () => {
    const records = new Map<string, StoredRecord>();
    return {
      most: 10,
      read: async (ids) => ids.map((id) => records.get(id)),
      async write(writes) {
        const found = writes.map(({ next }) => records.get(next.id));
        const areHeld = writes.every((write, n) => Object.values(conditions).every((holds) => holds(write, found[n])));
        if (!areHeld) return { applied: false, found };
        await sleep(1);
        for (const { next } of writes) records.set(next.id, next);
        return { applied: true };
      },
    };
  },
  'locks rows in the order of the writes, and gives a deadlock up': () => {
    const locked = new Set<string>();
    return wrapped((store) => ({
      async write(writes) {
        const mine: string[] = [];
        try {
          for (const { next } of writes) {
            for (let tries = 0; locked.has(next.id); tries++) {
              if (tries > 20) throw new Error('deadlock detected');
              await sleep(1);
            }
            locked.add(next.id);
            mine.push(next.id);
            await sleep(1);
          }
          return await store.write(writes);
        } finally {
          for (const id of mine) locked.delete(id);
        }
      },
    }));
  },
  'finds the records in another order': () =>
    wrapped((store) => ({ read: async (ids) => await store.read(ids.toSorted()) })),
  'leaves out what is not there': () =>
    wrapped((store) => ({ read: async (ids) => (await store.read(ids)).filter((found) => found !== undefined) })),
  'reads at most 100 records': () => wrapped((store) => ({ read: (ids) => store.read(ids.slice(0, 100)) })),
  'shows only the record that was in the way': () =>
    refusing((found, writes) => found.map((one, n) => (fenceOf(one) === fenceOf(writes[n]?.seen) ? undefined : one))),
  'says nothing of what stands there': () => refusing((found) => found.map(() => undefined)),
  'takes fewer records than it says': () =>
    wrapped((store) => ({
      async write(writes) {
        if (writes.length > 5) throw new Error('too many');
        return store.write(writes);
      },
    })),
  'takes one record in a write': () => wrapped(() => ({ most: 1 })),
  'takes a write for applied that is there already': () =>
    wrapped((store) => ({
      async write(writes) {
        const result = await store.write(writes);
        const areThere =
          !result.applied && JSON.stringify(result.found) === JSON.stringify(writes.map(({ next }) => next));
        return areThere ? { applied: true } : result;
      },
    })),
  'forgets why': () => keeping((record) => (record.kind === 'lock' ? { ...record, reason: '' } : record)),
  'forgets since when': () => keeping((record) => (record.kind === 'lock' ? { ...record, since: 0 } : record)),
  'ends what is kept': () =>
    keeping((record) => (record.kind === 'lock' && record.status === 'kept' ? { ...record, status: 'ended' } : record)),
  'never moves a lease': () =>
    wrapped((store) => ({
      write: (writes) =>
        store.write(
          writes.map(({ next, seen }) => ({
            seen,
            next: next.kind === 'lock' && seen?.kind === 'lock' ? { ...next, leaseUntil: seen.leaseUntil } : next,
          })),
        ),
    })),
  'keeps 32 bits of a number': () =>
    keeping((record) =>
      JSON.parse(JSON.stringify(record, (_, value) => (typeof value === 'number' ? value | 0 : value))),
    ),
  'drops U+0000': () =>
    keeping((record) =>
      JSON.parse(
        JSON.stringify(record, (_, value) => (typeof value === 'string' ? value.replaceAll('\0', '') : value)),
      ),
    ),
  'takes ids without regard to case': () => namedBy((id) => id.toLowerCase()),
  'takes ids by their first part': () => namedBy((id) => id.slice(0, 12)),
  'cuts ids off at 255 characters': () => namedBy((id) => id.slice(0, 255)),
};

const idsOf = (writes: readonly LockWrite[]) => writes.map(({ next }) => next.id);
const fenceOf = (record: StoredRecord | undefined) => (record?.kind === 'resource' ? record.fence : record?.rev);

/** The right store, but for some of it. */
function wrapped(change: (store: LockStore) => Partial<LockStore>): LockStore {
  const store = rightLockStore();
  return { ...store, ...change(store) };
}

/** Shows something else when it refuses. */
function refusing(
  change: (
    found: readonly (StoredRecord | undefined)[],
    writes: readonly LockWrite[],
  ) => readonly (StoredRecord | undefined)[],
): LockStore {
  return wrapped((store) => ({
    async write(writes) {
      const result = await store.write(writes);
      return result.applied ? result : { applied: false, found: change(result.found, writes) };
    },
  }));
}

/** Shows what `change` makes of a record. */
function keeping(change: (record: StoredRecord) => StoredRecord): LockStore {
  return wrapped((store) => ({
    read: async (ids) => (await store.read(ids)).map((found) => found && change(found)),
    async write(writes) {
      const result = await store.write(writes);
      return result.applied ? result : { applied: false, found: result.found.map((found) => found && change(found)) };
    },
  }));
}

/** Keeps records under other names than their ids. */
function namedBy(name: (id: string) => string): LockStore {
  const ids = new Map<string, string>();
  const known = (id: string) => ids.get(name(id)) ?? id;
  return wrapped((store) => ({
    read: (wanted) => store.read(wanted.map(known)),
    async write(writes) {
      const named = writes.map(({ next, seen }) => ({ next: { ...next, id: known(next.id) }, seen }));
      for (const { next } of writes) ids.set(name(next.id), known(next.id));
      return store.write(named);
    },
  }));
}
