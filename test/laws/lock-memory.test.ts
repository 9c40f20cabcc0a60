import { test } from 'vitest';
import { memoryLockStore } from '../../lib/locks/memory.ts';
import { lockStoreLaws } from '../../lib/testing/index.ts';

for (const most of [100, 6]) {
  lockStoreLaws({ test, name: `memoryLockStore of ${most}`, open: () => memoryLockStore({ most }) });
}
