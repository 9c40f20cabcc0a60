import { expect, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { type LockStore, type LockWrite, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

it('does not hand out a lock that was taken over while its last piece was being locked', async () => {
  let ahead = 0;
  let pieces = 0;
  const host = { ...nodeHost, now: () => nodeHost.now() + ahead };
  const inner = memoryLockStore({ most: 2 });
  const others = resourceLocks({ store: inner, host });
  const store: LockStore = {
    ...inner,
    async write(writes) {
      const result = await inner.write(writes);
      if (writes[1]?.next.kind === 'resource' && ++pieces === 3) {
        ahead += 70_000;
        await others.tryLockAll(['a'], { holder: 'two' });
      }
      return result;
    },
  };
  const answer = await resourceLocks({ store, host }).tryLockAll(['a', 'b', 'c'], { holder: 'one' });
  expect(answer.outcome).toBe('busy');
  expect(await others.read(['a', 'b', 'c'])).toMatchObject([{ resource: 'a', holder: 'two' }]);
});

it('leaves a holder what it had, when it meets another one in a later piece of what it comes back for (invariant 1)', async () => {
  const store = memoryLockStore({ most: 2 });
  const locks = resourceLocks({ store });
  const first = await locks.tryLockAll(['a', 'b'], { holder: 'one' });
  if (first.outcome === 'locked') await first.lock.keep();
  await locks.tryLockAll(['c'], { holder: 'two' });
  expect((await locks.tryLockAll(['a', 'b', 'c'], { holder: 'one' })).outcome).toBe('busy');
  const left = await locks.read(['a', 'b', 'c']);
  expect(left.map(({ holder, status }) => [holder, status])).toEqual([
    ['one', 'kept'],
    ['one', 'kept'],
    ['two', 'held'],
  ]);
});

it('keeps nothing for a next attempt, when it meets another holder and the earlier attempt has ended meanwhile (invariant 1)', async () => {
  const inner = memoryLockStore({ most: 2 });
  const locks = resourceLocks({ store: inner });
  const first = await locks.lockAll(['a'], { holder: 'one' });
  await locks.lockAll(['b'], { holder: 'two' });
  let writes = 0;
  const store: LockStore = {
    ...inner,
    async write(all) {
      // Seen as held, and done before it could be fenced off.
      if (++writes === 1) expect(await first.unlock()).toBe('unlocked');
      return inner.write(all);
    },
  };
  const late = await resourceLocks({ store }).tryLockAll(['a', 'b'], { holder: 'one' });
  expect(late.outcome).toBe('busy');
  expect(await locks.read(['a'])).toEqual([]);
});

it('does not hand out a lock whose lease was over before its worker could know of it (invariant 6)', async () => {
  let ahead = 0;
  const host = { ...nodeHost, now: () => nodeHost.now() + ahead };
  const inner = memoryLockStore();
  const store: LockStore = {
    ...inner,
    async write(writes) {
      const result = await inner.write(writes);
      // It stands still for longer than the lease, whenever it waits for an answer.
      ahead += 61_000;
      return result;
    },
  };
  const locks = resourceLocks({ store, host, leaseMs: 60_000 });
  expect((await locks.tryLockAll(['a', 'b'], { holder: 'one' })).outcome).toBe('busy');
  expect(await locks.read(['a', 'b'])).toEqual([]);
});

it('applies no write that arrives a second time, however late: no state of a record comes back', async () => {
  const host = virtualHost();
  const inner = memoryLockStore({ most: 3 });
  const sent: (readonly LockWrite[])[] = [];
  const store: LockStore = {
    ...inner,
    async write(writes) {
      const result = await inner.write(writes);
      sent.push(writes);
      const before = JSON.stringify(inner.records());
      for (const old of sent) await inner.write(old);
      expect(JSON.stringify(inner.records())).toBe(before);
      return result;
    },
  };
  const locks = resourceLocks({ store, host, leaseMs: 10_000 });
  // Every kind of write: pieces, renewals to the same end, keeps, hand-overs, takeovers, unlocks.
  for (const holder of ['one', 'two', 'one']) {
    const lock = await locks.lockAll(['a', 'b', 'c', 'd'], { holder });
    await lock.renew();
    await host.advance(3000);
    await lock.renew();
    await lock.keep();
    const again = await locks.lockAll(['b', 'c'], { holder });
    await host.advance(20_000);
    const other = await locks.lockAll(['c', 'd'], { holder: 'other' });
    expect(await again.renew()).toBe('stale');
    await other.unlock();
  }
  expect(sent.length).toBeGreaterThanOrEqual(30);
});
