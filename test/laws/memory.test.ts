import type { ClaimStore } from '../../lib/claims/store.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { storeLaws } from './store-laws.ts';

storeLaws(
  'memoryStore',
  async () => {
    const store = memoryStore();
    let lost = 0;
    const lossy: ClaimStore = {
      read: store.read,
      async write(write) {
        const first = await store.write(write);
        if (!first.applied) return first;
        lost++;
        return store.write(write);
      },
    };
    return { store, lossy: { store: lossy, lost: () => lost } };
  },
  { races: 1000, runs: 300 },
);
