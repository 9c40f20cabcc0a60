import { expect, it } from 'vitest';
import { simulateInstances } from '../../../proof/simulation/instances/simulate.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';
import { ofSweep } from '../../support/whole.ts';

it('64 invocations at once in one process, whose deadlines pass while they work, double nothing and lose nothing', async () => {
  const seeds = Array.from({ length: ofSweep(2000, { part: 150 }) }, (_, index) => index + 1);
  const { failures, stats } = await runSeeds(simulateInstances, seeds);
  expect(failures).toEqual([]);
  for (const [what, times] of Object.entries(stats)) {
    if (what !== 'events' && what !== 'doubled') expect(times, what).toBeGreaterThan(100);
  }
}, 900_000);
