import type { LockStore, Resource } from 'pawl/internal';
import { expectSame, expectThat } from './expect.ts';
import type { Law } from './law.ts';
import type { LockStage } from './lock-stage.ts';
import {
  createWorkers,
  excluded,
  expectFree,
  expectHeld,
  expectStale,
  granted,
  leaseMs,
  skewMs,
  starved,
} from './lock-worker.ts';
import { createRandom, freshKey } from './records.ts';

/** What pawl promises on top of a store: workers that lock sets of resources over it. */
export const lockWorkerLaws: readonly Law<LockStage>[] = [
  {
    name: 'workers: locks all of a set or none of it, whatever else it overlaps with',
    async run({ store, elsewhere }) {
      const { worker } = createWorkers();
      const [a, b, c] = [freshKey(), freshKey(), freshKey()];
      granted(await worker(store).tryLockAll([a, b], { holder: 'one' }));
      await expectHeld(worker(elsewhere), [b, c], 'two');
      await expectFree(worker(store), [c]);
      granted(await worker(elsewhere).tryLockAll([c], { holder: 'three' }));
    },
  },
  {
    name: 'workers: tells another holder which resource is held, by which holder, why, since when and until when',
    async run({ store }) {
      const { worker, now } = createWorkers();
      const composite = ['customer', freshKey(), 'debt', 7] as const;
      const before = now();
      granted(await worker(store).tryLockAll([freshKey(), composite], { holder: 'one', reason: 'repayment 17' }));
      const refused = await worker(store).tryLockAll([freshKey(), composite], { holder: 'two' });
      if (refused.outcome === 'locked') throw new Error(excluded);
      const told = refused.by.map(({ resource, status, holder, reason }) => ({ resource, status, holder, reason }));
      const expected = [{ resource: composite, status: 'held', holder: 'one', reason: 'repayment 17' }];
      expectSame('What the second holder learns', told, expected, 'An operator reads this.');
      const [by] = refused.by;
      expectThat((by?.since ?? 0) >= before, `since is ${by?.since}, before the lock was asked for`, starved);
      expectThat((by?.until ?? 0) >= before + leaseMs, `until is ${by?.until}, before the end of the lease`, excluded);
      const isWithin = refused.retryAfterMs > 0 && refused.retryAfterMs <= leaseMs + skewMs;
      expectThat(isWithin, `retryAfterMs is ${refused.retryAfterMs}`, 'An earlier retry is wasted, a later one waits.');
    },
  },
  {
    name: 'workers: keeps composite identities apart, and takes a repeated resource once',
    async run({ store }) {
      const { worker } = createWorkers();
      const id = freshKey();
      const repeated: Resource = [id, 'b#c'];
      const one = granted(await worker(store).tryLockAll([repeated, [id, 'b#c']], { holder: 'one' }));
      expectSame('The number of resources', one.resources.length, 1, 'A write may name a record only once.');
      granted(
        await worker(store).tryLockAll(
          [
            [`${id}#b`, 'c'],
            [id, 'b', 'c'],
          ],
          { holder: 'two' },
        ),
      );
    },
  },
  {
    name: 'workers: frees all with one unlock, and the fence goes on where it was',
    async run({ store }) {
      const { worker } = createWorkers();
      const [a, b] = [freshKey(), freshKey()];
      const first = granted(await worker(store).tryLockAll([a, b], { holder: 'one' }));
      expectSame('The first unlock', await first.unlock(), 'unlocked', starved);
      expectSame('The second unlock', await first.unlock(), 'unlocked', 'An unlock that is repeated does no harm.');
      const second = granted(await worker(store).tryLockAll([b], { holder: 'two' }));
      const why = 'A worker with an older fence could pass for the present one.';
      expectSame('The fence of the second lock', second.fence(b), first.fence(b) + 1, why);
      expectSame('What the second lock took over', second.takenOver, [], 'The first lock has ended.');
      expectSame('A late renewal', await first.renew(), 'stale', excluded);
      expectSame('A late keep', await first.keep(), 'stale', excluded);
      await expectHeld(worker(store), [b], 'three');
    },
  },
  {
    name: 'workers: lets the same holder in again, fences its earlier attempt off, and lets no other holder in meanwhile',
    async run({ store }) {
      const { worker, later } = createWorkers();
      const [a, b] = [freshKey(), freshKey()];
      const first = granted(await worker(store).tryLockAll([a, b], { holder: 'one' }));
      later(5000);
      const second = granted(await worker(store).tryLockAll([a, b], { holder: 'one' }));
      expectSame('The fence of the second attempt', second.fence(a), first.fence(a) + 1, excluded);
      expectSame('Since when the holder has them', second.since, first.since, 'The time counts over all attempts.');
      expectSame('What the second attempt took over', second.takenOver, [], 'They were its own.');
      await expectStale(first);
      await expectHeld(worker(store), [b], 'two');
      await second.unlock();
      await expectFree(worker(store), [a, b]);
    },
  },
  {
    name: 'workers: frees what the holder locked before and does not come back for',
    async run({ store }) {
      const { worker } = createWorkers();
      const [a, b] = [freshKey(), freshKey()];
      const first = granted(await worker(store).tryLockAll([a, b], { holder: 'one' }));
      await first.keep();
      granted(await worker(store).tryLockAll([a], { holder: 'one' }));
      granted(await worker(store).tryLockAll([b], { holder: 'two' }));
    },
  },
  {
    name: 'workers: leaves a holder what it had when it comes back for more than it can get',
    async run({ store }) {
      const { worker } = createWorkers();
      const [a, b] = [freshKey(), freshKey()];
      const first = granted(await worker(store).tryLockAll([a], { holder: 'one' }));
      granted(await worker(store).tryLockAll([b], { holder: 'two' }));
      await expectHeld(worker(store), [a, b], 'one');
      expectSame('The renewal of what it had', await first.renew(), 'renewed', excluded);
      await expectHeld(worker(store), [a], 'three');
    },
  },
  {
    name: 'workers: a lock is taken over when the lease and the skew are over, and not before; and then for all of its resources',
    async run({ store, elsewhere }) {
      const { worker, later } = createWorkers();
      const [a, b] = [freshKey(), freshKey()];
      const first = granted(await worker(store).tryLockAll([a, b], { holder: 'one', reason: 'why' }));
      // What a worker waits before it tries again passes as well.
      later(leaseMs + skewMs - 2000);
      await expectHeld(worker(elsewhere), [a], 'two');
      later(2000);
      const second = granted(await worker(elsewhere).tryLockAll([a], { holder: 'two' }));
      const taken = second.takenOver.map(({ resource, holder, reason }) => ({ resource, holder, reason }));
      const expected = [{ resource: a, holder: 'one', reason: 'why' }];
      expectSame('What was taken over', taken, expected, 'What the first worker was at may be half done.');
      expectSame('The fence', second.fence(a), first.fence(a) + 1, excluded);
      await expectStale(first);
      const held = (await worker(store).read([a, b])).map(({ resource, holder }) => ({ resource, holder }));
      expectSame('What is locked', held, [{ resource: a, holder: 'two' }], starved);
    },
  },
  {
    name: 'workers: a lock lasts for as long as it is renewed',
    async run({ store }) {
      const { worker, later } = createWorkers();
      const a = freshKey();
      const first = granted(await worker(store).tryLockAll([a], { holder: 'one' }));
      for (let times = 0; times < 3; times++) {
        later(leaseMs - 2000);
        expectSame('A renewal in time', await first.renew(), 'renewed', excluded);
      }
      await expectHeld(worker(store), [a], 'two');
    },
  },
  {
    name: 'workers: keeps resources for the next attempt of their holder, and for so long',
    async run({ store }) {
      const { worker, later } = createWorkers();
      const [a, b] = [freshKey(), freshKey()];
      const first = granted(await worker(store).tryLockAll([a], { holder: 'one' }));
      const other = granted(await worker(store).tryLockAll([b], { holder: 'one b' }));
      const kept = [await first.keep(300_000), await other.keep(300_000), await first.keep()];
      expectSame('What keep returned', kept, ['kept', 'kept', 'kept'], starved);
      later(298_000);
      const refused = await worker(store).tryLockAll([a], { holder: 'two' });
      if (refused.outcome === 'locked') throw new Error(excluded);
      const by = refused.by.map(({ status, holder }) => ({ status, holder }));
      expectSame('What another holder learns', by, [{ status: 'kept', holder: 'one' }], excluded);
      granted(await worker(store).tryLockAll([a], { holder: 'one' }));
      later(4000);
      granted(await worker(store).tryLockAll([b], { holder: 'two' }));
    },
  },
  {
    name: 'workers: a holder waits for as long as it may, and is refused or gets the lock',
    async run({ store, elsewhere }) {
      const { worker } = createWorkers();
      const a = freshKey();
      const first = granted(await worker(store).tryLockAll([a], { holder: 'one' }));
      const { outcome } = await worker(elsewhere).tryLockAll([a], { holder: 'two', waitMs: 50 });
      expectSame('After the wait', outcome, 'busy', excluded);
      const waiting = worker(elsewhere).tryLockAll([a], { holder: 'two', waitMs: 4000 });
      await first.unlock();
      expectSame('The fence of the waiter', granted(await waiting).fence(a), first.fence(a) + 1, excluded);
    },
  },
  {
    name: 'workers: locks exactly as many as go in one write, and more than that',
    async run({ store }) {
      for (const size of [store.most - 1, store.most, 2 * store.most + 1]) await lockMany(store, size);
    },
  },
  {
    name: 'workers: lets every holder through in the end, and never two at once, over sets that overlap at random',
    async run({ store, elsewhere }) {
      const { worker } = createWorkers();
      const random = createRandom(8);
      const prefix = freshKey();
      const inside = new Map<string, string>();
      let through = 0;
      const holders = 12;
      await Promise.all(
        Array.from({ length: holders }, async (_, n) => {
          // More than one write in every third: these go piece by piece.
          const size = n % 3 === 0 ? Math.min(store.most + 5, 40) : 1 + random.below(4);
          const ids = Array.from({ length: size }, () => `${prefix}-${random.below(size > 4 ? 50 : 8)}`);
          const locks = worker(n % 2 === 0 ? store : elsewhere);
          const lock = granted(await locks.tryLockAll(ids, { holder: `holder ${n}`, waitMs: 30_000 }));
          for (const id of lock.resources) {
            expectSame(`The holder that is inside of ${String(id)}`, inside.get(String(id)), undefined, excluded);
            inside.set(String(id), lock.holder);
          }
          await new Promise((resolve) => setTimeout(resolve, random.below(5)));
          for (const id of lock.resources) inside.delete(String(id));
          through++;
          await lock.unlock();
        }),
      );
      expectSame('The number of holders that got through', through, holders, starved);
      await expectFree(
        worker(store),
        Array.from({ length: 50 }, (_, n) => `${prefix}-${n}`),
      );
    },
  },
];

/** Locks, refuses, keeps and comes back to a set of this size. */
async function lockMany(store: LockStore, size: number): Promise<void> {
  const { worker } = createWorkers();
  const ids = Array.from({ length: size }, () => freshKey());
  const last = ids.toSorted().at(-1) ?? '';
  const locks = worker(store);
  const first = granted(await locks.tryLockAll(ids, { holder: 'one' }));
  await expectHeld(locks, [last], 'two');
  expectSame(`The unlock of ${size} resources`, await first.unlock(), 'unlocked', starved);
  await expectFree(locks, ids);
  // Met in the last piece: what was taken of the pieces before it is let go.
  const single = granted(await locks.tryLockAll([last], { holder: 'two' }));
  await expectHeld(locks, ids, 'one');
  const held = (await locks.read(ids)).map(({ resource }) => resource);
  expectSame('What is locked after a set could not be had', held, [last], starved);
  await single.unlock();
  const kept = granted(await locks.tryLockAll(ids, { holder: 'three' }));
  await kept.keep();
  const again = granted(await locks.tryLockAll(ids, { holder: 'three' }));
  const raised = ids.map((id) => kept.fence(id) + 1);
  expectSame('The fences of the next attempt', ids.map(again.fence), raised, excluded);
  await again.unlock();
}
