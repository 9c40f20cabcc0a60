import { memoryLockStore } from '../../lib/locks/memory.ts';
import { lockLaws, sentTwice } from './lock-laws.ts';

for (const most of [100, 6]) {
  lockLaws(`memoryLockStore of ${most}`, async () => {
    const store = memoryLockStore({ most });
    return { store, lossy: sentTwice(store) };
  });
}
