import { expect, test } from 'vitest';
import { isInOrder } from '../../../../shop/fifo/change-verdict.ts';
import { runFifo } from '../../../../shop/fifo/fifo.ts';

const silent = { update: () => undefined, say: () => undefined, end: () => undefined };

// Stuck changes are tried until they are parked, and a killed one keeps its account waiting for a visibility timeout.
test('changes of accounts are booked once and in order, and none is set aside unrun, behind refused, stuck, slow and killed ones', async () => {
  const { verdict, left, sandboxes } = await runFifo({
    changes: 40,
    accounts: 6,
    killShare: 0.05,
    seed: 3,
    protection: 'as-written',
    progress: silent,
  });
  expect(left).toBe(0);
  expect(sandboxes.killed).toBeGreaterThan(0);
  expect(verdict.rejected.length).toBeGreaterThan(5);
  expect(verdict).toMatchObject({ outOfOrder: [], doubled: [], lost: [], neverRun: [], unfinished: [] });
  expect(isInOrder(verdict)).toBe(true);
});
