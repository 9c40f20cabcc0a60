import type { LockWrite, StoredRecord } from 'pawl/internal';
import { expectThat } from './expect.ts';
import type { Law } from './law.ts';
import { expectKept } from './lock-contents.ts';
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
} from './lock-stage.ts';
import { someDay } from './records.ts';

const lost = 'The locks decide by these fields: a value that changes in the store decides otherwise.';
const halves = 'A set of resources would be locked in part, and two requests would work on the rest.';
const late = 'A worker whose lock was taken over would free or renew what another worker holds now.';

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
