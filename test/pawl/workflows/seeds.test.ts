import { expect, it } from 'vitest';
import { runWorld, type World, wrongIn } from '../../support/execution-world.ts';

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

it('starts each intent exactly as often as its policy says, whatever dies, is lost, and is told never or twice', async () => {
  const worlds: World[] = [];
  for (const seed of seeds) {
    const world = await runWorld(seed);
    expect(wrongIn(world), `seed ${seed}\n${world.log.join('\n')}`).toBeUndefined();
    worlds.push(world);
  }
  // Or nothing was tried.
  const started = worlds.map(({ executions }) => executions.length);
  expect(new Set(started)).toEqual(new Set([1, 2, 3, 4]));
  const logs = worlds.map(({ log }) => log.join('\n'));
  for (const what of ['not done', 'nobody heard it', 'told: parked', 'told: nothing']) {
    expect(logs.filter((log) => log.includes(what)).length, what).toBeGreaterThan(0);
  }
});
