import { expect, test } from 'vitest';
import { type LockStore, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** How long a call for these resources takes, with a store that takes this long for each response. */
async function callFor(resources: readonly string[], { most, responseMs }: { most: number; responseMs: number }) {
  const host = virtualHost();
  const memory = memoryLockStore({ most });
  const late = <T>(call: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => host.after(responseMs, () => void call().then(resolve, reject)));
  const store: LockStore = {
    most,
    read: (ids) => late(() => memory.read(ids)),
    write: (writes) => late(() => memory.write(writes)),
  };
  const locks = resourceLocks({ store, host });
  const began = host.now();
  let took = Number.POSITIVE_INFINITY;
  const ended = () => {
    took = host.now() - began;
  };
  locks.lockAll(resources, { holder: 'repay#17' }).then(ended, ended);
  await host.advance(120_000);
  return took;
}

// docs/guides/locks.md: "A call for a lock ends at the latest two such waits after `waitMs`, and two more for each further piece". A wait is 5 s here, and `waitMs` is 0.
test('a call for a lock ends two waits for the store after waitMs, if the store is slow', async () => {
  expect(await callFor(['a', 'b', 'c'], { most: 100, responseMs: 4_900 })).toBeLessThanOrEqual(10_000);
});

test('a call for a lock has two more waits for each further piece, if the store is slow and takes the resources in pieces', async () => {
  expect(await callFor(['a', 'b', 'c'], { most: 2, responseMs: 4_000 })).toBeLessThanOrEqual(30_000);
});
