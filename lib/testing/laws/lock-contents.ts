import type { StoredRecord } from 'pawl/internal';
import { controls, longestIdBytes, similarIds, texts } from './claim-contents.ts';
import type { Law } from './law.ts';
import {
  create,
  expectThere,
  freshLockId,
  freshResourceId,
  type LockStage,
  lockRecord,
  resourceRecord,
} from './lock-stage.ts';

const lost = 'The locks decide by these fields: a value that changes in the store decides otherwise.';

/** Writes records that must not be there yet, and holds the store to return the same. */
export async function expectKept(stage: LockStage, records: readonly StoredRecord[]): Promise<void> {
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
