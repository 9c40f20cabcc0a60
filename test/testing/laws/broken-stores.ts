import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimRecord, ClaimStore } from '../../../lib/pawl/index.ts';
import { conditions, mapStore, rightStore } from './map-store.ts';

/** Stores that look right and are not: each does what some database, driver or column type does. */
export const brokenStores: Readonly<Record<string, () => ClaimStore>> = {
  ...Object.fromEntries(
    Object.entries(conditions).map(([name, removed]) => [
      `does not ask whether ${name}`,
      () => mapStore(Object.values(conditions).filter((condition) => condition !== removed)),
    ]),
  ),
  'compares owner, status and lease instead of the revision': () =>
    mapStore([
      ({ seen }, found) => (seen === undefined) === (found === undefined),
      ({ seen }, found) => found?.claimId === seen?.claimId,
      ({ seen }, found) => found?.status === seen?.status && found?.leaseUntil === seen?.leaseUntil,
    ]),
  'compares the whole record': () => mapStore([({ seen }, found) => JSON.stringify(seen) === JSON.stringify(found)]),
  'takes a write for applied that is there already': () =>
    wrapped((store) => ({
      async write(write) {
        const result = await store.write(write);
        const isThere = !result.applied && JSON.stringify(result.found) === JSON.stringify(write.next);
        return isThere ? { applied: true } : result;
      },
    })),
  'checks, waits, and then writes': () => {
    const records = new Map<string, ClaimRecord>();
    return {
      read: async (id) => records.get(id),
      async write(write) {
        const found = records.get(write.next.id);
        if (!Object.values(conditions).every((holds) => holds(write, found))) return { applied: false, found };
        await sleep(1);
        records.set(write.next.id, write.next);
        return { applied: true };
      },
    };
  },
  'says nothing of what stands there': () =>
    wrapped((store) => ({
      write: async (write) =>
        (await store.write(write)).applied ? { applied: true } : { applied: false, found: undefined },
    })),
  'says that what was seen stands there': () =>
    wrapped((store) => ({
      write: async (write) =>
        (await store.write(write)).applied ? { applied: true } : { applied: false, found: write.seen },
    })),
  'says that what was to be written stands there': () =>
    wrapped((store) => ({
      write: async (write) =>
        (await store.write(write)).applied ? { applied: true } : { applied: false, found: write.next },
    })),
  'says that it applied what it refused': () =>
    wrapped((store) => ({
      async write(write) {
        await store.write(write);
        return { applied: true };
      },
    })),
  'writes what it refuses': () =>
    wrapped((store) => ({
      async write(write) {
        const result = await store.write(write);
        if (!result.applied) await store.write({ next: write.next, seen: result.found });
        return result;
      },
    })),
  'reads from a replica that is one write behind': () => {
    const before = new Map<string, ClaimRecord | undefined>();
    return wrapped((store) => ({
      async read(id) {
        const found = await store.read(id);
        const shown = before.has(id) ? before.get(id) : found;
        before.set(id, found);
        return shown;
      },
      async write(write) {
        before.set(write.next.id, await store.read(write.next.id));
        return store.write(write);
      },
    }));
  },
  'merges the next record into the old one': () =>
    wrapped((store) => ({
      write: ({ next, seen }) => store.write({ next: { ...seen, ...JSON.parse(JSON.stringify(next)) }, seen }),
    })),
  'forgets what was released': () =>
    wrapped((store) => ({
      async read(id) {
        const found = await store.read(id);
        return found?.status === 'released' ? undefined : found;
      },
      async write({ next, seen }) {
        const found = await store.read(next.id);
        return store.write({ next, seen: seen === undefined && found?.status === 'released' ? found : seen });
      },
    })),
  'forgets what was rejected': () =>
    keeping((record) => (record.status === 'rejected' ? { ...record, status: 'parked' } : record)),
  'counts every schema as its own': () => keeping((record) => ({ ...record, v: 1 })),
  'keeps maps one level deep': () =>
    keeping(({ resolution, ...rest }) => ({
      ...rest,
      ...(resolution && { resolution: { ...resolution, steps: undefined } }),
    })),
  'drops maps without entries': () =>
    keeping((record) =>
      record.attributes && Object.keys(record.attributes).length === 0 ? { ...record, attributes: undefined } : record,
    ),
  'returns null for what is not there': () => {
    const store = rightStore();
    return { ...store, read: async (id) => (await store.read(id)) ?? JSON.parse('null') };
  },
  'keeps a result as JSON': () =>
    keeping((record) => ({ ...record, result: record.result && JSON.stringify(JSON.parse(record.result)) })),
  'forgets results': () => keeping((record) => ({ ...record, result: undefined })),
  'cuts texts off at 65,535 characters': () => keepingTexts((text) => text.slice(0, 65_535)),
  'trims texts': () => keepingTexts((text) => text.trim()),
  'normalises texts': () => keepingTexts((text) => text.normalize('NFC')),
  'drops U+0000': () => keepingTexts((text) => text.replaceAll('\0', '')),
  'keeps 32 bits of a number': () =>
    keepingNumbers((number) => (Number.isSafeInteger(number) ? Math.min(number, 2 ** 31 - 1) : number)),
  'keeps 15 digits of a number': () => keepingNumbers((number) => Number(number.toPrecision(15))),
  'returns large numbers as texts': () =>
    keeping((record) => JSON.parse(JSON.stringify(record, (_, value) => (value > 2 ** 31 ? String(value) : value)))),
  'takes ids without regard to case': () => namedBy((id) => id.toLowerCase()),
  'takes ids without regard to spaces': () => namedBy((id) => id.trim()),
  'takes ids without regard to their form': () => namedBy((id) => id.normalize('NFC')),
  'cuts ids off at 255 characters': () => namedBy((id) => id.slice(0, 255)),
  'refuses ids with U+0000': () =>
    namedBy((id) => {
      if (id.includes('\0')) throw new Error('invalid byte sequence for encoding "UTF8": 0x00');
      return id;
    }),
};

/** The right store, but for some of it. */
function wrapped(change: (store: ClaimStore) => Partial<ClaimStore>): ClaimStore {
  const store = rightStore();
  return { ...store, ...change(store) };
}

/** Keeps what `change` makes of a record; it compares as if it had kept the record. */
function keeping(change: (record: ClaimRecord) => ClaimRecord): ClaimStore {
  const store = rightStore();
  const shown = (found: ClaimRecord | undefined) => found && change(found);
  return {
    read: async (id) => shown(await store.read(id)),
    async write(write) {
      const result = await store.write(write);
      return result.applied ? result : { applied: false, found: shown(result.found) };
    },
  };
}

function keepingTexts(change: (text: string) => string): ClaimStore {
  return keeping((record) => reviving(record, (value) => (typeof value === 'string' ? change(value) : value)));
}

function keepingNumbers(change: (number: number) => number): ClaimStore {
  return keeping((record) => reviving(record, (value) => (typeof value === 'number' ? change(value) : value)));
}

/** The record with each of its values changed, but for its id. */
function reviving(record: ClaimRecord, change: (value: unknown) => unknown): ClaimRecord {
  return { ...JSON.parse(JSON.stringify(record), (_, value) => change(value)), id: record.id };
}

/** Keeps records under other names than their ids. */
function namedBy(name: (id: string) => string): ClaimStore {
  const store = rightStore();
  const ids = new Map<string, string>();
  const known = (id: string) => ids.get(name(id)) ?? id;
  return {
    read: async (id) => store.read(known(id)),
    async write({ next, seen }) {
      const id = known(next.id);
      ids.set(name(next.id), id);
      return store.write({ next: { ...next, id }, seen });
    },
  };
}
