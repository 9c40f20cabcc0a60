import { test } from 'vitest';
import { memoryStore } from '../../lib/stores/memory.ts';
import { claimStoreLaws } from '../../lib/testing/index.ts';

claimStoreLaws({
  test,
  name: 'memoryStore',
  open: () => memoryStore(),
  listsOpenClaims: true,
  keepsNotes: true,
  races: 1000,
  runs: 300,
});
