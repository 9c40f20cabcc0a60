import { describe, expect, it } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/index.ts';
import {
  type LockOperator,
  type LockReleasedEvent,
  type LockView,
  lockOperator,
  memoryLockStore,
  resourceLocks,
} from '../../../lib/pawl/locks/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const debts = [
  ['debt', 17],
  ['debt', 18],
] as const;
const by = { by: 'maria', note: 'the payment was cancelled' };

function setUp() {
  const host = virtualHost();
  const store = memoryLockStore();
  const events: ClaimEvent[] = [];
  const released: LockReleasedEvent[] = [];
  const locks = resourceLocks({ store, host, onEvent: (event) => events.push(event) });
  const desk = lockOperator({ store, host, onEvent: (event) => released.push(event) });
  return { host, store, locks, desk, events, released };
}

async function all<T>(made: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of made) found.push(one);
  return found;
}

async function standing(desk: LockOperator): Promise<readonly LockView[]> {
  return (await all(desk.list())).flat();
}

const keptLock = async (locks: ReturnType<typeof resourceLocks>, holder = 'one') => {
  const lock = await locks.lockAll(debts, { holder, reason: 'repayment' });
  await lock.keep();
  return lock;
};

async function releaseOf(desk: LockOperator, id: string, fence?: number) {
  return all(desk.release(await desk.planRelease({ locks: [{ id, fence }], ...by })));
}

describe('the list of locks', () => {
  it('has those that are kept, with holder, reason, resources and since when', async () => {
    const { host, locks, desk } = setUp();
    const began = host.now();
    await host.advance(1000);
    await keptLock(locks);
    expect(await standing(desk)).toMatchObject([
      { status: 'kept', mayBeAlive: false, holder: 'one', reason: 'repayment', resources: 2, since: began + 1000 },
    ]);
    const [view] = await standing(desk);
    expect(view?.first).toEqual([
      ['debt', '17'],
      ['debt', '18'],
    ]);
  });

  it('has one that is renewed, and none that was neither renewed nor kept, nor one that has ended', async () => {
    const { host, locks, desk } = setUp();
    const short = await locks.lockAll([['debt', 1]], { holder: 'short' });
    expect(await standing(desk)).toEqual([]);
    await host.advance(1000);
    await short.renew();
    expect(await standing(desk)).toMatchObject([{ holder: 'short', status: 'held', mayBeAlive: true }]);
    await short.unlock();
    expect(await standing(desk)).toEqual([]);
  });

  it('has those of one status', async () => {
    const { host, locks, desk } = setUp();
    await keptLock(locks);
    const held = await locks.lockAll([['debt', 1]], { holder: 'two' });
    await host.advance(1000);
    await held.renew();
    const of = async (status: 'held' | 'kept') => (await all(desk.list({ status }))).flat();
    expect(await of('held')).toMatchObject([{ holder: 'two' }]);
    expect(await of('kept')).toMatchObject([{ holder: 'one' }]);
  });
});

describe('a lock', () => {
  it('is read by its id, with and without what all have in common, and by a resource', async () => {
    const { locks, desk } = setUp();
    const { id } = await keptLock(locks);
    const found = await desk.read(id);
    expect(found).toMatchObject({ id, status: 'kept' });
    expect(await desk.read(id.replace('#lock#', ''))).toEqual(found);
    expect(await desk.readOf(['debt', '18'])).toEqual(found);
    expect(await desk.readOf(['debt', '19'])).toBeUndefined();
    expect(await desk.read('nothing')).toBeUndefined();
  });
});

describe('a release', () => {
  it('frees the resources of a kept lock, keeps who and why, and is said once', async () => {
    const { host, locks, desk, released } = setUp();
    const { id } = await keptLock(locks);
    const plan = await desk.planRelease({ locks: [{ id }], ...by });
    expect(plan).toMatchObject({ count: 1, items: [{ id, will: 'release' }] });
    expect(await standing(desk)).toHaveLength(1);
    expect(await all(desk.release(plan))).toMatchObject([{ id, outcome: 'released' }]);
    expect(await desk.read(id)).toMatchObject({ status: 'ended', released: { at: host.now(), ...by } });
    expect(released).toEqual([
      { type: 'lock-released', id, at: host.now(), ...by, fence: expect.any(Number), resources: 2 },
    ]);
    expect(await locks.tryLockAll(debts, { holder: 'two' })).toMatchObject({ outcome: 'locked' });
  });

  it('of a lock whose worker may be alive is refused, and possible once its lease is over', async () => {
    const { host, locks, desk } = setUp();
    const { id } = await locks.lockAll(debts, { holder: 'one' });
    expect(await releaseOf(desk, id)).toEqual([{ id, outcome: 'stays', whyNot: 'held' }]);
    // The worker's clock may be a second behind.
    await host.advance(60_500);
    expect(await releaseOf(desk, id)).toEqual([{ id, outcome: 'stays', whyNot: 'held' }]);
    await host.advance(1000);
    expect(await releaseOf(desk, id)).toMatchObject([{ id, outcome: 'released' }]);
  });

  it('refuses what has changed since it was planned: the next attempt of the holder has it by then', async () => {
    const { locks, desk } = setUp();
    const { id } = await keptLock(locks);
    const plan = await desk.planRelease({ locks: [{ id }], ...by });
    const next = await locks.lockAll(debts, { holder: 'one' });
    expect(await all(desk.release(plan))).toMatchObject([{ outcome: 'stays' }]);
    expect(await next.renew()).toBe('renewed');
  });

  it('refuses another fence than the one that was seen, what has ended, and what is not there', async () => {
    const { locks, desk } = setUp();
    const { id } = await keptLock(locks);
    expect(await releaseOf(desk, id, 1)).toEqual([{ id, outcome: 'stays', whyNot: 'changed' }]);
    expect(await releaseOf(desk, id)).toMatchObject([{ outcome: 'released' }]);
    expect(await releaseOf(desk, id)).toEqual([{ id, outcome: 'stays', whyNot: 'ended' }]);
    expect(await releaseOf(desk, '#lock#gone')).toEqual([{ id: '#lock#gone', outcome: 'stays', whyNot: 'missing' }]);
  });

  it('whose response is lost finds its own write, and has released', async () => {
    const { host, store, locks } = setUp();
    const lossy = {
      ...store,
      update: async (write: Parameters<typeof store.update>[0]) => {
        await store.update(write);
        return { applied: false as const, found: await store.read([write.next.id]) };
      },
    };
    const { id } = await keptLock(locks);
    const desk = lockOperator({ store: lossy, host, onEvent: () => undefined });
    expect(await releaseOf(desk, id)).toMatchObject([{ id, outcome: 'released' }]);
  });

  it('leaves no way back for the worker that wakes after it', async () => {
    const { host, locks, desk, events } = setUp();
    const slept = await locks.lockAll(debts, { holder: 'one' });
    await host.advance(62_000);
    await releaseOf(desk, slept.id);
    expect(await slept.renew()).toBe('stale');
    expect(await slept.keep()).toBe('stale');
    expect(await slept.unlock()).toBe('stale');
    expect(events.map(({ type }) => type)).toEqual(['locked', 'lock-lost']);
  });
});

describe('the events of locks', () => {
  it('say what becomes of a lock, with ids and counts, and with no resource’s name', async () => {
    const { host, locks, events } = setUp();
    const one = await locks.lockAll(debts, { holder: 'one' });
    expect(await locks.tryLockAll(debts, { holder: 'two' })).toMatchObject({ outcome: 'busy' });
    await host.advance(62_000);
    const two = await locks.lockAll([debts[0]], { holder: 'two' });
    await two.keep(5000);
    const again = await locks.lockAll([debts[0]], { holder: 'two' });
    await again.unlock();
    expect(events).toMatchObject([
      { type: 'locked', id: one.id, resources: 2, takenOver: 0, heldMs: 0 },
      { type: 'lock-busy', id: one.id, by: [one.id], resources: 2 },
      { type: 'lock-taken-over', id: one.id, by: two.id, resources: 2, heldMs: 62_000, overdueMs: 2000 },
      { type: 'locked', id: two.id, resources: 1, takenOver: 1 },
      { type: 'lock-kept', id: two.id, resources: 1, keptMs: 5000 },
      { type: 'locked', id: again.id, resources: 1, takenOver: 0 },
      { type: 'unlocked', id: again.id, resources: 1 },
    ]);
    expect(JSON.stringify(events)).not.toContain('debt');
  });
});
