import type { LockStore, StoredRecord } from 'pawl/internal';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import {
  create,
  firstWrites,
  freshLockId,
  freshResourceId,
  type LockStage,
  resourceRecord,
  wereApplied,
} from './lock-stage.ts';

const halves = 'A set of resources would be locked in part, and two requests would work on the rest.';
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
