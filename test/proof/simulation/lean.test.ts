import { describe, expect, it } from 'vitest';
import { createDoorsScenario } from '../../../proof/simulation/doors/scenario.ts';
import { simulateDoors } from '../../../proof/simulation/doors/simulate.ts';
import { drawHttpTroubles } from '../../../proof/simulation/dynamodb/http-troubles.ts';
import { createScenario } from '../../../proof/simulation/scenario.ts';
import { doorRegressions, regressions } from '../../../proof/simulation/seeds.ts';
import { simulate } from '../../../proof/simulation/simulate.ts';
import { firstOf } from '../../support/whole.ts';

/** Seeds under which the lean transport runs, over a network that fails at the level of HTTP. */
const seeds = Array.from({ length: 500 }, (_, index) => 1001 + index).filter((seed) => drawHttpTroubles(seed));

describe('the lean transport, simulated at the level of HTTP', () => {
  it('is used by a share of the seeds, under each kind of trouble, and by no seed that is known for another reason', () => {
    const troubles = seeds.flatMap((seed) => createScenario(seed).http ?? []);
    expect(troubles.length).toBeGreaterThan(60);
    expect(troubles.filter(({ idleClosed }) => idleClosed > 0).length).toBeGreaterThan(20);
    expect(troubles.filter(({ clockMs }) => clockMs !== 0).length).toBeGreaterThan(20);
    expect(troubles.filter(({ credentialsMs }) => credentialsMs < Infinity).length).toBeGreaterThan(20);
    expect(createDoorsScenario(seeds[0] ?? 0).http).toBeDefined();
    expect([...regressions, ...doorRegressions].filter(({ seed }) => drawHttpTroubles(seed))).toEqual([]);
  });

  it.each([
    ['claims', simulate, 1],
    ['doors', simulateDoors, 0],
  ] as const)(
    'breaks no invariant of %s',
    async (_, run, parity) => {
      for (const seed of seeds.filter((one) => one % 2 === parity).slice(0, firstOf(seeds.length, { first: 15 }))) {
        const { violations } = await run(seed);
        expect(violations, `seed ${seed}`).toEqual([]);
      }
    },
    30_000,
  );

  it('does the same again under the same seed, with and without turns of the event loop', async () => {
    for (const seed of seeds.slice(0, 6)) {
      const { hash, steps } = await simulate(seed);
      expect(await simulate(seed, { turnsTheLoop: true, keepsStory: true })).toMatchObject({ hash, steps });
    }
  });
});
