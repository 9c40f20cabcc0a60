import { memoryStore } from '../../../lib/pawl/stores/memory.ts';
import { claimStoreLaws } from '../../../lib/testing/index.ts';
import { lawTest } from '../../support/law-test.ts';

claimStoreLaws({
  test: lawTest,
  name: 'memoryStore',
  open: () => memoryStore(),
  listsOpenClaims: true,
  keepsNotes: true,
  races: 1000,
  runs: 300,
});
