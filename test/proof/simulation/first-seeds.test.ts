import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handlersOfCall } from '../../../lib/pawl/claims/inside-step.ts';
import { simulateDoors } from '../../../proof/simulation/doors/simulate.ts';
import { simulateLocks } from '../../../proof/simulation/locks/simulate.ts';
import { simulate } from '../../../proof/simulation/simulate.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';

/*
 * A look at each simulation. All their seeds, what was wrong once, and the breakages that they must find are in the long tests beside this file.
 */

const seeds = Array.from({ length: 40 }, (_, index) => index + 1);

// Handlers that are answered for early: the library says so, once in each cold start.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

test('messages: nothing is wrong under the first 40 seeds, in which workers are killed and claims are taken over', async () => {
  const { failures, stats } = await runSeeds(simulate, seeds);
  expect(failures).toEqual([]);
  expect(stats.kills).toBeGreaterThan(10);
  expect(stats.events['taken-over']).toBeGreaterThan(0);
});

test('doors: nothing is wrong under the first 40 seeds, in which workers are killed', async () => {
  const { failures, stats } = await runSeeds(simulateDoors, seeds);
  expect(failures).toEqual([]);
  expect(stats.kills).toBeGreaterThan(10);
});

test('nothing of a seed is kept: a killed handler never ends, and each later call of once would be kept with it', async () => {
  // Other tests of this process may have left some.
  const before = handlersOfCall().length;
  await runSeeds(simulate, seeds);
  expect(handlersOfCall()).toHaveLength(before);
});

test('locks: nothing is wrong under the first 40 seeds, and none of what they are about is missing', async () => {
  const { failures, stats } = await runSeeds(simulateLocks, seeds);
  expect(failures).toEqual([]);
  for (const [what, times] of Object.entries(stats)) expect(times, what).toBeGreaterThan(0);
});
