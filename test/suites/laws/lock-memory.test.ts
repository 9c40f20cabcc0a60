import { memoryLockStore } from '../../../lib/pawl/locks/memory.ts';
import { lockStoreLaws } from '../../../lib/testing/index.ts';
import { lawTest } from '../../support/law-test.ts';

for (const most of [100, 6]) {
  lockStoreLaws({ test: lawTest, name: `memoryLockStore of ${most}`, open: () => memoryLockStore({ most }) });
}
