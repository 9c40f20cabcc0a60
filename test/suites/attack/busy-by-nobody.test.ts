import { expect, test } from 'vitest';
import { type LockStore, memoryLockStore, ResourcesBusyError, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const never = () => new Promise<never>(() => {});

// The type says of `by`: empty when no holder in particular was in the way. Then the error must not say that `by` names one.
test('a ResourcesBusyError says that it took too long, if no holder is in the way any more', async () => {
  const host = virtualHost();
  const memory = memoryLockStore();
  let writes = 0;
  let reads = 0;
  // The first write is applied, and its response lost. After it, one read is lost, and a later one takes three seconds.
  const store: LockStore = {
    most: memory.most,
    async read(ids) {
      if (writes > 0) reads += 1;
      if (reads === 1) return never();
      if (reads === 3) await new Promise<void>((resolve) => host.after(3_000, resolve));
      return memory.read(ids);
    },
    async write(given) {
      writes += 1;
      const result = await memory.write(given);
      return writes === 1 ? never() : result;
    },
  };
  let error: unknown;
  resourceLocks({ store, leaseMs: 10_000, host })
    .lockAll(['debt'], { holder: 'first', waitMs: 8_000 })
    .catch((thrown: unknown) => {
      error = thrown;
    });
  host.after(11_500, async () => {
    const other = await resourceLocks({ store: memory, leaseMs: 10_000, host }).lockAll(['debt'], { holder: 'other' });
    await other.unlock();
  });
  await host.advance(60_000);
  expect(error).toBeDefined();
  if (!(error instanceof ResourcesBusyError)) return;
  expect(error).toMatchObject({ by: [], message: expect.stringContaining('too long') });
});
