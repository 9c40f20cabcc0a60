import { expect, it } from 'vitest';
import { runWorld, wrongIn } from '../../support/execution-world.ts';

/** A thousand take some ten seconds. */
const seeds = Number(process.env['PAWL_SEEDS'] ?? 500);

const hour = 3_600_000;

it('starts each intent exactly as often as its policy says, in so many worlds', { timeout: hour }, async () => {
  const met = { executions: 0, startedAgain: 0, neverEnded: 0, toldBeforeItsStart: 0, toldInVain: 0, neverTold: 0 };
  for (let seed = 1000; seed < 1000 + seeds; seed++) {
    const world = await runWorld(seed);
    expect(wrongIn(world), `seed ${seed}\n${world.log.join('\n')}`).toBeUndefined();
    const { executions, neverEnds, log } = world;
    const at = (what: string) => log.findIndex((line) => line.endsWith(what));
    const told = log.findIndex((line) => line.includes('an end is told'));
    met.executions += executions.length;
    met.startedAgain += executions.length - 1;
    met.neverEnded += Number(neverEnds);
    met.toldBeforeItsStart += Number(told >= 0 && told < at('is done'));
    met.toldInVain += log.filter((line) => line.endsWith('an end is told: nothing')).length;
    met.neverTold += Number(!neverEnds && told < 0);
  }
  console.log(`${seeds} seeds: ${JSON.stringify(met)}`);
  // Each of these has happened, so that it was looked at.
  expect(Object.entries(met).filter(([, times]) => times === 0)).toEqual([]);
});
