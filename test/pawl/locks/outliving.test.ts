import { expect, it } from 'vitest';
import { memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

function locked(outlivesInvocations: boolean) {
  const host = virtualHost(someDay, { outlivesInvocations });
  const store = memoryLockStore();
  const locks = resourceLocks({ store, host, leaseMs: 30_000 });
  const work = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const worked = locks.withLock(
    ['a'],
    { holder: 'one', unlock: { onSuccess: 'unlock', onFailure: 'keep' } },
    (lock) => {
      signal = lock.signal;
      return work.promise;
    },
  );
  const other = resourceLocks({ store, host: { ...host, randomId: () => 'another' } });
  return { host, work, worked, other, isLost: () => signal?.aborted };
}

it('renews a lock for as long as its work runs, also after the end of its invocation', async () => {
  const { host, work, worked, other, isLost } = locked(true);
  await host.advance(950_000);
  expect(isLost()).toBe(false);
  expect(await other.tryLockAll(['a'], { holder: 'two' })).toMatchObject({ outcome: 'busy' });
  work.resolve();
  expect(await worked).toMatchObject({ outcome: 'done', lock: 'unlocked' });
});

it('renews it no longer than an invocation can last, and the grace: a work that never ends would keep it for ever', async () => {
  const { host, other, isLost } = locked(true);
  await host.advance(960_000 + 30_000);
  expect(isLost()).toBe(true);
  await host.advance(2000);
  expect(await other.tryLockAll(['a'], { holder: 'two' })).toMatchObject({ outcome: 'locked' });
});

it('renews it without an end elsewhere, where the end of the invocation ends its work', async () => {
  const { host, isLost } = locked(false);
  await host.advance(2_000_000);
  expect(isLost()).toBe(false);
});
