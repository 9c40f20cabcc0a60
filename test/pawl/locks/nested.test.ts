import { expect, it } from 'vitest';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { elsewhere } from '../../support/elsewhere.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const unlock = { onSuccess: 'unlock', onFailure: 'unlock' } as const;

function setUp() {
  const host = virtualHost();
  const store = memoryLockStore();
  const locks = resourceLocks({ store, host });
  return { host, store, locks, others: resourceLocks({ store, host }) };
}

it.each(['one', 'another'])('refuses to lock, as %s, what the work around the call has locked', async (holder) => {
  const { host, locks, others } = setUp();
  const working = locks.withLock(['a', 'b'], { holder: 'one', unlock }, async ({ signal }) => {
    const inner = locks.withLock([['b'], 'c'], { holder, unlock }, () => expect.fail('nothing may run'));
    await expect(inner).rejects.toMatchObject({ name: 'NestedLockError', resources: [['b']] });
    await expect(locks.tryLockAll(['a'], { holder })).rejects.toThrow('hand its lock on');
    await new Promise<void>((resolve) => host.after(10_000, resolve));
    return signal.aborted;
  });
  await host.advance(1000);
  // What the refused call would have freed.
  for (const resource of ['a', 'b']) {
    expect(await others.tryLockAll([resource], { holder: 'two' })).toMatchObject({ outcome: 'busy' });
  }
  await host.advance(10_000);
  expect(await working).toEqual({ outcome: 'done', result: false, lock: 'unlocked' });
  expect(await locks.read(['a', 'b', 'c'])).toEqual([]);
});

it('refuses it also in an unlock rule, and deeper down', async () => {
  const { locks } = setUp();
  const inner = () => locks.withLock(['a'], { holder: 'one', unlock }, () => 7);
  const rule = () => inner().then(() => true);
  const both = { onSuccess: rule, onFailure: 'keep' } as const;
  await expect(locks.withLock(['a'], { holder: 'one', unlock: both }, () => 7)).rejects.toMatchObject({
    name: 'LockKeptError',
    cause: { name: 'NestedLockError' },
  });
  const deep = locks.withLock(['a'], { holder: 'one', unlock }, () =>
    locks.withLock(['b'], { holder: 'one', unlock }, inner),
  );
  await expect(deep).rejects.toMatchObject({ name: 'NestedLockError' });
});

it('lets a work lock what is not locked around it, and what was locked before it', async () => {
  const { locks } = setUp();
  const both = locks.withLock(['a'], { holder: 'one', unlock }, () =>
    locks.withLock(['b'], { holder: 'one', unlock }, () => locks.read(['a', 'b'])),
  );
  expect((await both).result.result).toMatchObject([{ resource: 'a' }, { resource: 'b' }]);
  expect(await locks.withLock(['a'], { holder: 'one', unlock }, () => 7)).toMatchObject({ result: 7 });
});

it('lets what a work has left behind lock its resources once it is over', async () => {
  const { locks } = setUp();
  let begin: () => void = () => undefined;
  let late: Promise<unknown> | undefined;
  await locks.withLock(['a'], { holder: 'one', unlock }, () => {
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    late = begun.then(() => locks.withLock(['a'], { holder: 'one', unlock }, () => 'late'));
  });
  begin();
  expect(await late).toMatchObject({ result: 'late' });
});

it('lets the next attempt of a request in, in the very process where the earlier one still runs', async () => {
  const { host, locks } = setUp();
  let aborted = false;
  const first = locks.withLock(['a', 'b'], { holder: 'one', unlock }, async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    aborted = true;
  });
  await host.advance(1000);
  const second = elsewhere(() =>
    locks.withLock(['a', 'b'], { holder: 'one', unlock }, async () => {
      await new Promise<void>((resolve) => host.after(30_000, resolve));
    }),
  );
  await host.advance(29_000);
  expect(aborted).toBe(true);
  expect(await first).toMatchObject({ lock: 'stale' });
  expect(await locks.read(['a', 'b'])).toMatchObject([{ status: 'held' }, { status: 'held' }]);
  await host.advance(5000);
  expect(await second).toMatchObject({ lock: 'unlocked' });
});
