import type { StoredRecord } from '../../locks/record.ts';
import type { LockStore, LockWrite } from '../../locks/store.ts';
import { controls, longestIdBytes, similarIds, texts } from './claim-contents.ts';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import {
  apply,
  create,
  expectRefused,
  expectThere,
  firstWrites,
  freshLockId,
  freshResourceId,
  type LockStage,
  lockRecord,
  resourceRecord,
  wereApplied,
} from './lock-stage.ts';
import { someDay } from './records.ts';

const lost = 'The locks decide by these fields: a value that changes in the store decides otherwise.';
const halves = 'A set of resources would be locked in part, and two requests would work on the rest.';
const late = 'A worker whose lock was taken over would free or renew what another one holds now.';

async function expectKept(stage: LockStage, records: readonly StoredRecord[]): Promise<void> {
  await create(stage, records);
  const ids = records.map(({ id }) => id);
  await expectThere(stage, ids, records, 'The records that were read are not those that were written', lost);
}

/** A store keeps what it is given, and returns the same. */
export const lockContentLaws: readonly Law<LockStage>[] = [
  {
    name: 'reads what was written, in the order of the ids, and nothing for what is not there',
    async run(stage) {
      const records = Array.from({ length: 230 }, (_, n) => resourceRecord(`${freshResourceId()}-${n}`, 1));
      for (let at = 0; at < records.length; at += stage.store.most) {
        await create(stage, records.slice(at, at + stage.store.most));
      }
      const ids = records.map(({ id }) => id).toReversed();
      const expected = [undefined, ...records.toReversed(), undefined];
      const asked = [freshResourceId(), ...ids, freshResourceId()];
      await expectThere(stage, asked, expected, 'A read of 232 ids', lost);
    },
  },
  {
    name: 'keeps every field of a lock and of a resource, to the letter',
    async run(stage) {
      for (const text of texts) {
        const lock = lockRecord(freshLockId(), 1, { holder: `h${text}`, reason: text, by: `#lock#${text}` });
        await expectKept(stage, [lock, resourceRecord(`${freshResourceId()}${text}`, 1, `#lock#${text}`)]);
      }
    },
  },
  {
    name: 'keeps a lock in each status',
    async run(stage) {
      for (const status of ['held', 'kept', 'ended'] as const) {
        await expectKept(stage, [lockRecord(freshLockId(), 1, { status })]);
      }
    },
  },
  {
    name: 'keeps control characters, U+0000 included',
    async run(stage) {
      const lock = lockRecord(freshLockId(), 1, { holder: controls, reason: controls });
      await expectKept(stage, [lock, resourceRecord(freshResourceId() + controls, 1)]);
    },
  },
  {
    name: 'keeps numbers exactly, also beyond 32 bits',
    async run(stage) {
      const many = Number.MAX_SAFE_INTEGER;
      const lock = lockRecord(freshLockId(), many, {
        since: many,
        leaseUntil: many,
        resources: 2 ** 31,
        expiresAt: 2 ** 33,
      });
      await expectKept(stage, [lock, resourceRecord(freshResourceId(), many)]);
    },
  },
  {
    name: 'keeps ids apart that differ in case, in a space, or in the form of a letter',
    async run(stage) {
      const records = similarIds(freshResourceId()).map((id) => resourceRecord(id, 1, `lock of ${id}`));
      for (const record of records) await expectKept(stage, [record]);
      const ids = records.map(({ id }) => id);
      await expectThere(stage, ids, records, 'A read of ids that are alike', 'Two resources would share a lock.');
    },
  },
  {
    name: `takes ids of ${longestIdBytes} bytes, and ids that differ in the last byte only`,
    async run(stage) {
      const start = freshResourceId();
      const long = start + 'x'.repeat(longestIdBytes - start.length - 1);
      await expectKept(stage, [resourceRecord(`${long}a`, 1), resourceRecord(`${long}b`, 1)]);
    },
  },
];

/** What differs between a record that was seen and the one that stands there: nothing else does. */
const others: Readonly<Record<string, (id: string) => { readonly seen: StoredRecord; readonly found: StoredRecord }>> =
  {
    'a lock with another revision': (id) => ({ seen: lockRecord(id, 1), found: { ...lockRecord(id, 1), rev: 2 } }),
    'a lock with a revision beyond 32 bits': (id) => ({
      seen: lockRecord(id, 1),
      found: { ...lockRecord(id, 1), rev: 2 ** 32 + 1 },
    }),
    'a resource with another fence': (id) => ({ seen: resourceRecord(id, 1), found: resourceRecord(id, 2) }),
    'a resource with an earlier fence': (id) => ({ seen: resourceRecord(id, 2), found: resourceRecord(id, 1) }),
  };

/** Several writes are applied if every record is still the one that was seen, and otherwise none is. */
export const lockConditionLaws: readonly Law<LockStage>[] = [
  {
    name: 'applies all writes or none, and says what stands there',
    async run(stage) {
      const [a, b, l] = [freshResourceId(), freshResourceId(), freshLockId()];
      await create(stage, [resourceRecord(a, 1), lockRecord(l, 1)]);
      const writes = [
        { next: resourceRecord(b, 1), seen: undefined },
        { next: resourceRecord(a, 2), seen: resourceRecord(a, 1) },
        { next: lockRecord(l, 2), seen: lockRecord(l, 7) },
      ];
      const found = [undefined, resourceRecord(a, 1), lockRecord(l, 1)];
      await expectRefused(stage, writes, found, 'Three writes, of which the last saw another record', halves);
      const first = [writes[2], writes[0], writes[1]].filter((write) => write !== undefined);
      await expectRefused(stage, first, [found[2], found[0], found[1]], 'Three writes, of which the first did', halves);
    },
  },
  {
    name: 'refuses a first write where a record stands',
    async run(stage) {
      const there = [resourceRecord(freshResourceId(), 1), lockRecord(freshLockId(), 1)];
      await create(stage, there);
      for (const record of there) {
        const did = `A first write over a ${record.kind}`;
        await expectRefused(stage, firstWrites([record]), [record], did, 'Two requests would lock one resource.');
      }
    },
  },
  {
    name: 'refuses a write over a record that is not there, and creates nothing',
    async run(stage) {
      const [a, l] = [freshResourceId(), freshLockId()];
      const did = 'A write over a record that is not there';
      const why = 'A lock that has ended and was collected would come back.';
      await expectRefused(stage, [{ next: resourceRecord(a, 2), seen: resourceRecord(a, 1) }], [undefined], did, why);
      await expectRefused(stage, [{ next: lockRecord(l, 2), seen: lockRecord(l, 1) }], [undefined], did, why);
    },
  },
  ...Object.entries(others).map(
    ([what, make]): Law<LockStage> => ({
      name: `refuses a write over ${what} than the one that was seen, and nothing else differs`,
      async run(stage) {
        const { seen, found } = make(freshResourceId());
        await create(stage, [found]);
        await expectRefused(stage, [{ next: seen, seen }], [found], `A write over ${what}`, late);
      },
    }),
  ),
  {
    name: 'applies writes over the records that were seen, and replaces them as a whole',
    async run(stage) {
      const [a, l] = [freshResourceId(), freshLockId()];
      const seen = [resourceRecord(a, 1), lockRecord(l, 1)] as const;
      await create(stage, seen);
      const next = [resourceRecord(a, 2, '#lock#y'), lockRecord(l, 2, { status: 'ended', reason: 'done' })] as const;
      await apply(stage, [
        { next: next[0], seen: seen[0] },
        { next: next[1], seen: seen[1] },
      ]);
      await expectThere(stage, [a, l], next, 'After writes that were applied, read(ids)', lost);
    },
  },
  {
    name: 'refuses writes that are sent again after they were applied, and shows the caller its own records',
    async run(stage) {
      const records = [resourceRecord(freshResourceId(), 1), lockRecord(freshLockId(), 1)];
      await create(stage, records);
      const why = 'A caller that did not get the response recognises its own write by the records that stand there.';
      await expectRefused(stage, firstWrites(records), records, 'Writes that are sent again', why);
    },
  },
  {
    name: 'refuses every write that arrives again, however late, and whatever has come back in the meantime',
    async run(stage) {
      const [a, l] = [freshResourceId(), freshLockId()];
      const sent: (readonly LockWrite[])[] = [];
      let seen: readonly StoredRecord[] = [];
      for (let rev = 1; rev <= 4; rev++) {
        // The lease and the status of the first state are those of the third.
        const isOdd = rev % 2 === 1;
        const lock = lockRecord(l, rev, { leaseUntil: someDay + (rev % 2), status: isOdd ? 'held' : 'kept' });
        const next = [resourceRecord(a, rev), lock];
        const writes = next.map((one, index): LockWrite => ({ next: one, seen: seen[index] }));
        await apply(stage, writes);
        sent.push(writes);
        for (const again of sent) {
          await expectRefused(stage, again, next, 'The late copy of earlier writes', late);
          for (const [index, one] of again.entries()) {
            await expectRefused(stage, [one], [next[index]], 'The late copy of one of the earlier writes', late);
          }
        }
        seen = next;
      }
    },
  },
  {
    name: 'takes as many records in one write as it says',
    async run(stage) {
      const { most } = stage.store;
      expectThat(most >= 2, `most is ${most}`, 'A lock and one resource are written together: 2 is the least.');
      const records = Array.from({ length: most }, () => resourceRecord(freshResourceId(), 1));
      await expectKept(stage, records);
      const last = records.at(-1);
      const writes = records.map((seen) => ({
        next: { ...seen, fence: 2 },
        seen: seen === last ? { ...seen, fence: 9 } : seen,
      }));
      await expectRefused(stage, writes, records, `${most} writes, of which the last saw another record`, halves);
    },
  },
];

const writers = 8;

/** Whatever happens at once, one of the writers over common records gets through. */
export const lockConcurrencyLaws: readonly Law<LockStage>[] = [
  {
    name: `applies one of ${writers} writes at once over overlapping sets`,
    async run({ store, elsewhere, mayMeetItself }) {
      const ids = [freshResourceId(), freshResourceId(), freshResourceId()] as const;
      const sets = Array.from({ length: writers }, (_, n) =>
        [ids[n % 3] ?? ids[0], ids[(n + 1) % 3] ?? ids[0]].map((id) => resourceRecord(id, 1, `#lock#${n}`)),
      );
      const results = await Promise.all(
        sets.map(async (set, n) => {
          const writes = firstWrites(set);
          return wereApplied(await (n % 2 === 0 ? store : elsewhere).write(writes), writes, mayMeetItself);
        }),
      );
      const applied = results.filter((wasApplied) => wasApplied).length;
      expectSame('The number of writes that were applied', applied, 1, halves);
      const there = (await store.read(ids)).filter((found) => found !== undefined).length;
      expectSame('The number of records that stand there', there, 2, halves);
    },
  },
  {
    name: 'comes to an end when writers name the same records in opposite orders, and loses no update',
    async run({ store, elsewhere, mayMeetItself }) {
      const ids = [freshResourceId(), freshResourceId()];
      const times = 5;
      const stores = Array.from({ length: 4 }, (_, n) => (n % 2 === 0 ? store : elsewhere));
      await Promise.all(
        stores.map((each, n) => addOne(each, n % 2 === 0 ? ids : ids.toReversed(), times, mayMeetItself)),
      );
      const fences = (await store.read(ids)).map(fenceOf);
      const all = stores.length * times;
      // Writes that met themselves after another worker's count as refused, and are made again.
      const areWhole = fences.every((fence) => (mayMeetItself ? fence >= all : fence === all));
      const did = `After ${all} updates the fences are ${fences.join(' and ')}`;
      expectThat(areWhole, did, 'Two requests would work on one resource.');
    },
  },
];

/** A store that keeps a copy of what it has read shows another process's writes too late. */
export const lockElsewhereLaws: readonly Law<LockStage>[] = [
  {
    name: 'shows the writes of another process to every read that begins after they were applied',
    async run(stage) {
      const { store, elsewhere } = stage;
      const id = freshResourceId();
      const why = 'Two requests in two processes would work on one resource.';
      expectSame('A read of an id that was never written', await elsewhere.read([id]), [undefined], why);
      const [first, second] = [resourceRecord(id, 1), resourceRecord(id, 2)];
      await create(stage, [first]);
      expectSame('A read in another process', await elsewhere.read([id]), [first], why);
      await elsewhere.write([{ next: second, seen: first }]);
      expectSame('A read after a write in another process', await store.read([id]), [second], why);
    },
  },
];

/** Raises the fences of some resources together, so many times. Where a refusal does not show the records, this comes to no end. */
async function addOne(store: LockStore, ids: readonly string[], times: number, mayMeetItself: boolean): Promise<void> {
  const lockId = freshLockId();
  let seen = await store.read(ids);
  let added = 0;
  for (let rounds = 0; added < times; rounds++) {
    expectThat(rounds < 1000, 'A worker was refused 1,000 times', 'A refusal must say what stands there now.');
    const next = ids.map((id, index) => resourceRecord(id, fenceOf(seen[index]) + 1, lockId));
    const writes = next.map((one, index) => ({ next: one, seen: seen[index] }));
    const result = await store.write(writes);
    const applied = wereApplied(result, writes, mayMeetItself);
    if (applied) added++;
    seen = result.applied || applied ? next : result.found;
  }
}

const fenceOf = (found: StoredRecord | undefined): number => (found?.kind === 'resource' ? found.fence : 0);
