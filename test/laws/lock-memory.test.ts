import { memoryLockStore } from '../../lib/locks/memory.ts';
import type { LockStore } from '../../lib/locks/store.ts';
import { lockLaws } from './lock-laws.ts';

for (const most of [100, 6]) {
  lockLaws(`memoryLockStore of ${most}`, async () => {
    const store = memoryLockStore({ most });
    let lost = 0;
    const lossy: LockStore = {
      ...store,
      async write(writes) {
        const first = await store.write(writes);
        if (!first.applied) return first;
        lost++;
        return store.write(writes);
      },
    };
    return { store, lossy: { store: lossy, lost: () => lost } };
  });
}
