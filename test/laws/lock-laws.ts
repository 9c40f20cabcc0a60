import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../lib/host.ts';
import type { Host } from '../../lib/kernel/host.ts';
import type { Lock } from '../../lib/locks/owned-lock.ts';
import type { LockRecord, ResourceRecord, StoredRecord } from '../../lib/locks/record.ts';
import type { Resource } from '../../lib/locks/resource.ts';
import { type Locks, resourceLocks, type TryLockAllResult } from '../../lib/locks/resource-locks.ts';
import type { LockStore, LockWrite } from '../../lib/locks/store.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';

export interface LockStoreUnderTest {
  readonly store: LockStore;
  /** The same records through a store that loses the answer of every write once, after it was applied. */
  readonly lossy: { readonly store: LockStore; readonly lost: () => number };
}

/** A store whose writes are sent once more after they were applied, by others than the SDK: as by whoever never heard the answer. */
export function sentTwice(store: LockStore): LockStoreUnderTest['lossy'] {
  let lost = 0;
  const twice: LockStore = {
    ...store,
    async write(writes) {
      const first = await store.write(writes);
      if (!first.applied) return first;
      lost++;
      return store.write(writes);
    },
  };
  return { store: twice, lost: () => lost };
}

/** The specification of a lock store, and what the locks promise on top of it. */
export function lockLaws(name: string, open: () => Promise<LockStoreUnderTest>): void {
  const leaseMs = 60_000;
  const skewMs = 1000;
  let names = 0;
  const fresh = (prefix: string) => `${prefix}-${++names}-${nodeHost.randomId()}`;

  /** Workers with one clock, which a test can move on. */
  async function world() {
    const { store, lossy } = await open();
    let ahead = 0;
    const host: Host = { ...nodeHost, now: () => nodeHost.now() + ahead };
    const worker = (on: LockStore = store): Locks => resourceLocks({ store: on, host, leaseMs, skewMs });
    return { store, lossy, worker, later: (ms: number) => (ahead += ms), now: host.now };
  }

  function granted(answer: TryLockAllResult): Lock {
    if (answer.outcome !== 'locked') throw new Error(`held by ${JSON.stringify(answer.by)}`);
    return answer.lock;
  }

  function resource(id: string, fence: number, lockId = '#lock#x'): ResourceRecord {
    return { kind: 'resource', id, lockId, fence, v: 'lock-1' };
  }

  function lock(id: string, rev: number): LockRecord {
    const at = Date.UTC(2026, 10, 21);
    const rest = { reason: '', since: at, leaseUntil: at + rev, resources: 2, by: id, expiresAt: at / 1000 };
    return { kind: 'lock', id, status: 'held', holder: 'h', rev, ...rest, v: 'lock-1' };
  }

  describe(`${name}: the store`, () => {
    it('reads what was written, in the order of the ids, and nothing for what is not there', async () => {
      const { store } = await open();
      const records = Array.from({ length: 230 }, (_, n) => resource(fresh(`#resource#${n}`), 1));
      for (let at = 0; at < records.length; at += store.most) {
        const writes = records.slice(at, at + store.most).map((next) => ({ next, seen: undefined }));
        expect(await store.write(writes)).toEqual({ applied: true });
      }
      const ids = records.map(({ id }) => id);
      expect(await store.read([fresh('#resource#none'), ...ids])).toEqual([undefined, ...records]);
    });

    it('applies all writes or none, and says what stood there', async () => {
      const { store } = await open();
      const [a, b] = [fresh('#resource#a'), fresh('#resource#b')];
      const l = fresh('#lock#');
      const first = [resource(a, 1), lock(l, 1)];
      await store.write(first.map((next) => ({ next, seen: undefined })));
      const refused = await store.write([
        { next: resource(b, 1), seen: undefined },
        { next: resource(a, 2), seen: resource(a, 1) },
        { next: lock(l, 2), seen: lock(l, 7) },
      ]);
      expect(refused).toEqual({ applied: false, found: [undefined, resource(a, 1), lock(l, 1)] });
      expect(await store.read([a, b, l])).toEqual([resource(a, 1), undefined, lock(l, 1)]);
      expect(await store.write([{ next: resource(a, 1), seen: undefined }])).toEqual({
        applied: false,
        found: [resource(a, 1)],
      });
    });

    it('refuses every write that arrives again, however late, and whatever has come back in the meantime', async () => {
      const { store } = await open();
      const [a, l] = [fresh('#resource#a'), fresh('#lock#')];
      const sent: LockWrite[][] = [];
      let seen: readonly StoredRecord[] = [];
      for (let rev = 1; rev <= 4; rev++) {
        // The lease and the status of the first state are those of the third.
        const next = [
          resource(a, rev),
          { ...lock(l, rev), leaseUntil: rev % 2, status: rev % 2 ? 'held' : 'kept' } as const,
        ];
        const writes = next.map((one, index): LockWrite => ({ next: one, seen: seen[index] }));
        expect(await store.write(writes)).toEqual({ applied: true });
        sent.push(writes);
        for (const late of sent) expect(await store.write(late)).toEqual({ applied: false, found: next });
        for (const [late] of sent) {
          expect(await store.write(late ? [late] : [])).toMatchObject({ applied: false });
        }
        expect(await store.read([a, l])).toEqual(next);
        seen = next;
      }
    });

    it('lets one of many racing writes through', async () => {
      const { store } = await open();
      const ids = [fresh('#resource#a'), fresh('#resource#b'), fresh('#resource#c')];
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          store.write(
            [ids[n % 3] ?? '', ids[(n + 1) % 3] ?? ''].map((id) => ({
              next: resource(id, 1, `#lock#${n}`),
              seen: undefined,
            })),
          ),
        ),
      );
      expect(results.filter(({ applied }) => applied)).toHaveLength(1);
    });
  });

  describe(`${name}: locks`, () => {
    it('locks all of a set or none of it, whatever else it overlaps with', async () => {
      const { worker } = await world();
      const [a, b, c] = [fresh('a'), fresh('b'), fresh('c')];
      const locks = worker();
      granted(await locks.tryLockAll([a, b], { holder: 'one' }));
      expect((await locks.tryLockAll([b, c], { holder: 'two' })).outcome).toBe('busy');
      expect(await locks.read([c])).toEqual([]);
      granted(await locks.tryLockAll([c], { holder: 'three' }));
    });

    it('tells another holder who holds what, why, since when and until when', async () => {
      const { worker, now } = await world();
      const [a, b] = [fresh('a'), ['customer', fresh('c'), 'debt', 7] as const];
      const before = now();
      granted(await worker().tryLockAll([a, b], { holder: 'one', reason: 'repayment 17' }));
      const answer = await worker().tryLockAll([fresh('z'), b], { holder: 'two' });
      expect(answer).toMatchObject({
        outcome: 'busy',
        by: [{ resource: b, status: 'held', holder: 'one', reason: 'repayment 17' }],
      });
      if (answer.outcome !== 'busy') return;
      const [by] = answer.by;
      expect(by?.since).toBeGreaterThanOrEqual(before);
      expect(by?.until).toBeGreaterThanOrEqual(before + leaseMs);
      expect(answer.retryAfterMs).toBeGreaterThan(0);
      expect(answer.retryAfterMs).toBeLessThanOrEqual(leaseMs + skewMs);
    });

    it('keeps composite identities apart, and takes a repeated resource once', async () => {
      const { worker } = await world();
      const id = fresh('a');
      const locks = worker();
      const one = granted(await locks.tryLockAll([[id, 'b#c'], [id, 'b#c'] as Resource], { holder: 'one' }));
      expect(one.resources).toHaveLength(1);
      granted(await locks.tryLockAll([[`${id}#b`, 'c'], [id, 'b', 'c'] as Resource], { holder: 'two' }));
    });

    it('frees all with one unlock, and the fence goes on where it was', async () => {
      const { worker } = await world();
      const [a, b] = [fresh('a'), fresh('b')];
      const first = granted(await worker().tryLockAll([a, b], { holder: 'one' }));
      expect(await first.unlock()).toBe('unlocked');
      expect(await first.unlock()).toBe('unlocked');
      const second = granted(await worker().tryLockAll([b], { holder: 'two' }));
      expect(second.fence(b)).toBe(first.fence(b) + 1);
      expect(second.takenOver).toEqual([]);
      expect(await first.renew()).toBe('stale');
      expect(await first.keep()).toBe('stale');
      expect((await worker().tryLockAll([b], { holder: 'three' })).outcome).toBe('busy');
    });

    it('lets the same holder in again, fences its earlier attempt off, and nobody else in meanwhile', async () => {
      const { worker, later } = await world();
      const [a, b] = [fresh('a'), fresh('b')];
      const first = granted(await worker().tryLockAll([a, b], { holder: 'one' }));
      later(5000);
      const second = granted(await worker().tryLockAll([a, b], { holder: 'one' }));
      expect(second.fence(a)).toBe(first.fence(a) + 1);
      expect(second.since).toBe(first.since);
      expect(second.takenOver).toEqual([]);
      expect([await first.renew(), await first.keep(), await first.unlock()]).toEqual(['stale', 'stale', 'stale']);
      expect((await worker().tryLockAll([b], { holder: 'two' })).outcome).toBe('busy');
      await second.unlock();
      expect(await worker().read([a, b])).toEqual([]);
    });

    it('frees what the holder locked before and does not come back for', async () => {
      const { worker } = await world();
      const [a, b] = [fresh('a'), fresh('b')];
      const first = granted(await worker().tryLockAll([a, b], { holder: 'one' }));
      await first.keep();
      granted(await worker().tryLockAll([a], { holder: 'one' }));
      granted(await worker().tryLockAll([b], { holder: 'two' }));
    });

    it('leaves a holder what it had when it comes back for more than it can get', async () => {
      const { worker } = await world();
      const [a, b] = [fresh('a'), fresh('b')];
      const first = granted(await worker().tryLockAll([a], { holder: 'one' }));
      granted(await worker().tryLockAll([b], { holder: 'two' }));
      expect((await worker().tryLockAll([a, b], { holder: 'one' })).outcome).toBe('busy');
      expect(await first.renew()).toBe('renewed');
      expect((await worker().tryLockAll([a], { holder: 'three' })).outcome).toBe('busy');
    });

    it('is taken over when the lease and the skew are over, and not before; and then for all of its resources', async () => {
      const { worker, later } = await world();
      const [a, b] = [fresh('a'), fresh('b')];
      const first = granted(await worker().tryLockAll([a, b], { holder: 'one', reason: 'why' }));
      later(leaseMs + skewMs - 200);
      expect((await worker().tryLockAll([a], { holder: 'two' })).outcome).toBe('busy');
      later(200);
      const second = granted(await worker().tryLockAll([a], { holder: 'two' }));
      expect(second.takenOver).toMatchObject([{ resource: a, holder: 'one', reason: 'why' }]);
      expect(second.fence(a)).toBe(first.fence(a) + 1);
      expect([await first.renew(), await first.unlock(), await first.keep()]).toEqual(['stale', 'stale', 'stale']);
      expect(await worker().read([a, b])).toMatchObject([{ resource: a, holder: 'two' }]);
    });

    it('lasts for as long as it is renewed', async () => {
      const { worker, later } = await world();
      const a = fresh('a');
      const first = granted(await worker().tryLockAll([a], { holder: 'one' }));
      for (let times = 0; times < 3; times++) {
        later(leaseMs - 1000);
        expect(await first.renew()).toBe('renewed');
      }
      expect((await worker().tryLockAll([a], { holder: 'two' })).outcome).toBe('busy');
    });

    it('keeps resources for the next attempt of their holder, and for so long', async () => {
      const { worker, later } = await world();
      const [a, b] = [fresh('a'), fresh('b')];
      const first = granted(await worker().tryLockAll([a], { holder: 'one' }));
      const other = granted(await worker().tryLockAll([b], { holder: 'one b' }));
      expect([await first.keep(300_000), await other.keep(300_000)]).toEqual(['kept', 'kept']);
      expect(await first.keep()).toBe('kept');
      later(299_000);
      const refused = await worker().tryLockAll([a], { holder: 'two' });
      expect(refused).toMatchObject({ outcome: 'busy', by: [{ status: 'kept', holder: 'one' }] });
      granted(await worker().tryLockAll([a], { holder: 'one' }));
      later(3000);
      granted(await worker().tryLockAll([b], { holder: 'two' }));
    });

    it('waits for as long as it may, and is refused or gets it', async () => {
      const { worker } = await world();
      const a = fresh('a');
      const first = granted(await worker().tryLockAll([a], { holder: 'one' }));
      expect((await worker().tryLockAll([a], { holder: 'two', waitMs: 50 })).outcome).toBe('busy');
      const waiting = worker().tryLockAll([a], { holder: 'two', waitMs: 60_000 });
      await first.unlock();
      expect(granted(await waiting).fence(a)).toBe(first.fence(a) + 1);
    });

    it('knows its own writes again when their answers were lost', async () => {
      const { lossy, worker, later } = await world();
      const ids = Array.from({ length: 5 }, () => fresh('a'));
      const locks = worker(lossy.store);
      const first = granted(await locks.tryLockAll(ids, { holder: 'one' }));
      expect(ids.map(first.fence)).toEqual([1, 1, 1, 1, 1]);
      later(1000);
      expect(await first.renew()).toBe('renewed');
      expect(await first.keep()).toBe('kept');
      const second = granted(await locks.tryLockAll(ids, { holder: 'one' }));
      expect(ids.map(second.fence)).toEqual([2, 2, 2, 2, 2]);
      expect(await first.unlock()).toBe('stale');
      expect(await second.unlock()).toBe('unlocked');
      later(2 * leaseMs);
      const third = granted(await locks.tryLockAll(ids, { holder: 'two' }));
      later(2 * leaseMs);
      const fourth = granted(await locks.tryLockAll(ids, { holder: 'three' }));
      expect(await third.unlock()).toBe('stale');
      expect(fourth.takenOver).toHaveLength(5);
      expect(await fourth.unlock()).toBe('unlocked');
      expect(await locks.read(ids)).toEqual([]);
      expect(lossy.lost()).toBeGreaterThanOrEqual(8);
    });

    it('locks exactly as many as go in one write, and more than that', async () => {
      const { store, worker } = await world();
      for (const size of [store.most - 1, store.most, 2 * store.most + 1]) {
        const ids = Array.from({ length: size }, () => fresh('many'));
        const [last = ''] = [...ids].sort().slice(-1);
        const locks = worker();
        const first = granted(await locks.tryLockAll(ids, { holder: 'one' }));
        expect((await locks.tryLockAll([last], { holder: 'two' })).outcome, `${size}`).toBe('busy');
        expect(await first.unlock()).toBe('unlocked');
        expect(await locks.read(ids)).toEqual([]);
        // Met in the last piece: what was taken of the pieces before it is let go.
        const single = granted(await locks.tryLockAll([last], { holder: 'two' }));
        expect((await locks.tryLockAll(ids, { holder: 'one' })).outcome).toBe('busy');
        expect(await locks.read(ids)).toMatchObject([{ resource: last }]);
        await single.unlock();
        const kept = granted(await locks.tryLockAll(ids, { holder: 'three' }));
        await kept.keep();
        const again = granted(await locks.tryLockAll(ids, { holder: 'three' }));
        expect(ids.map(again.fence)).toEqual(ids.map((id) => kept.fence(id) + 1));
        await again.unlock();
      }
    });

    it('lets everybody through in the end, and never two at once, over sets that overlap at random', async () => {
      const { worker, store } = await world();
      const random = createRandom(8);
      const prefix = fresh('r');
      const inside = new Map<string, string>();
      let locked = 0;
      await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          // More than one write in every third: these go piece by piece.
          const size = n % 3 === 0 ? Math.min(store.most + 5, 40) : 1 + random.below(4);
          const ids = Array.from({ length: size }, () => `${prefix}-${random.below(size > 4 ? 50 : 8)}`);
          const lock = granted(await worker().tryLockAll(ids, { holder: `holder ${n}`, waitMs: 100_000 }));
          for (const id of lock.resources) {
            expect(inside.get(String(id))).toBeUndefined();
            inside.set(String(id), lock.holder);
          }
          await new Promise((resolve) => setTimeout(resolve, random.below(5)));
          for (const id of lock.resources) inside.delete(String(id));
          locked++;
          await lock.unlock();
        }),
      );
      expect(locked).toBe(12);
      const all = Array.from({ length: 50 }, (_, n) => `${prefix}-${n}`);
      expect(await worker().read(all)).toEqual([]);
    });
  });
}
