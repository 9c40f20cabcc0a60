import { afterEach, describe, expect, it } from 'vitest';
import type { InstancesScenario } from '../../../proof/simulation/instances/scenario.ts';
import { simulateInstances } from '../../../proof/simulation/instances/simulate.ts';
import { createPlanting } from '../../../proof/simulation/planting.ts';
import { runSeeds } from '../../../proof/simulation/tally.ts';

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

describe('64 invocations at once in one process, whose deadlines pass while they work', () => {
  it('double nothing and lose nothing, under 6 seeds', async () => {
    const { failures, stats } = await runSeeds(simulateInstances, from(1, 6));
    expect(failures).toEqual([]);
    for (const what of ['timeouts', 'overran', 'lateEffects', 'completed'] as const) {
      expect(stats[what], what).toBeGreaterThan(20);
    }
  });

  it('do the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of from(1, 2)) {
      const { hash, steps } = await simulateInstances(seed);
      expect(await simulateInstances(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });
});

describe('the simulation of Managed Instances finds', () => {
  /** What a promise broken breaks first, under a policy, with or without an operator. */
  function planted(change: (scenario: InstancesScenario) => InstancesScenario) {
    return createPlanting(async () => {
      const { simulateInstances: simulate } = await import('../../../proof/simulation/instances/simulate.ts');
      return (seed, { turnsTheLoop }) => simulate(seed, { turnsTheLoop, change });
    });
  }

  const within = { longestOverrunMs: 50_000, overruns: 1, leaseMs: undefined, effect: 'unmarked' } as const;
  const parking = planted((scenario) => ({ ...scenario, ...within, policy: 'park', hasOperator: true }));
  const asking = planted((scenario) => ({ ...scenario, ...within, policy: 'reconcile', hasOperator: false }));
  afterEach(() => {
    parking.uproot();
    asking.uproot();
  });

  type Outliving = typeof import('../../../lib/pawl/kernel/outliving.ts');
  type RenewedLease = typeof import('../../../lib/pawl/engine/renewed-lease.ts');

  it.each([
    ['parking', parking],
    ['asking', asking],
  ] as const)(
    'an effect applied twice, where a claim ends with its invocation: %s',
    async (_, { plant, firstBroken }) => {
      plant<Outliving>('../../lib/pawl/kernel/outliving.ts', () => ({ keptUntil: () => undefined }));
      expect(await firstBroken(20)).toBe(1);
    },
    30_000,
  );

  it('an effect applied twice, where a claim that outlives its invocation is not renewed', async () => {
    const { plant, firstBroken } = asking;
    plant<RenewedLease>('../../lib/pawl/engine/renewed-lease.ts', ({ renewedLease }) => ({
      renewedLease: (leaseMs) => ({ ...renewedLease(leaseMs), keep: () => () => undefined }),
    }));
    expect(await firstBroken(20)).toBe(1);
  });
});
