import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processWide } from '../../../lib/pawl/kernel/process-wide.ts';
import { simulateDoors } from '../../../proof/simulation/doors/simulate.ts';
import { simulateLocks } from '../../../proof/simulation/locks/simulate.ts';
import { simulateOutbox } from '../../../proof/simulation/outbox/simulate.ts';
import { simulate } from '../../../proof/simulation/simulate.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';
import { firstOf } from '../../support/whole.ts';

/*
 * A look at each simulation. All their seeds, what was wrong once, and the breakages that they must find are in the long tests beside this file.
 */

const seeds = Array.from({ length: firstOf(40, { first: 16 }) }, (_, index) => index + 1);

// Handlers that are answered for early: the library says so, once in each cold start.
beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

test('messages: nothing is wrong under the first seeds, in which workers are killed and claims are taken over', async () => {
  const { failures, stats } = await runSeeds(simulate, seeds);
  expect(failures).toEqual([]);
  expect(stats.kills).toBeGreaterThan(10);
  expect(stats.events['taken-over']).toBeGreaterThan(0);
});

test('doors: nothing is wrong under the first seeds, in which workers are killed', async () => {
  const { failures, stats } = await runSeeds(simulateDoors, seeds);
  expect(failures).toEqual([]);
  expect(stats.kills).toBeGreaterThan(10);
});

test('outbox: nothing is wrong under the first seeds, in which workers are killed and copies are sent', async () => {
  const { failures, stats } = await runSeeds(simulateOutbox, seeds);
  expect(failures).toEqual([]);
  expect(stats.kills).toBeGreaterThan(10);
  expect(stats.copies).toBeGreaterThan(stats.committed);
});

test('outbox in PostgreSQL: the same under the first seeds', async () => {
  const { failures, stats } = await runSeeds(
    (seed, options) => simulateOutbox(seed, { ...options, database: 'postgres' }),
    seeds,
  );
  expect(failures).toEqual([]);
  expect(stats.kills).toBeGreaterThan(10);
  expect(stats.copies).toBeGreaterThan(stats.committed);
});

test('nothing of a seed is kept: a killed handler never ends, and each later call of once would be kept with it', async () => {
  const calls = processWide('claims.calls-of-once/1', () => ({ expected: false, unseen: new Set<object>() }));
  // As in a process without a function of `once`: other tests of this one have some, and theirs are not kept in this way.
  const { expected } = calls;
  const kept = calls.unseen.size;
  calls.expected = false;
  try {
    const { stats } = await runSeeds(simulate, seeds);
    expect(stats.kills).toBeGreaterThan(10);
    expect(calls.unseen.size).toBe(kept);
  } finally {
    calls.expected = expected;
  }
});

test('locks: nothing is wrong under the first seeds, and none of what they are about is missing', async () => {
  const { failures, stats } = await runSeeds(simulateLocks, seeds);
  expect(failures).toEqual([]);
  for (const [what, times] of Object.entries(stats)) expect(times, what).toBeGreaterThan(0);
});
