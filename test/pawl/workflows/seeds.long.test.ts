import { expect, it } from 'vitest';
import { runWorld, wrongIn } from '../../support/execution-world.ts';

/** A thousand take some half a minute. */
const seeds = Number(process.env['PAWL_SEEDS'] ?? 500);

it('starts each intent exactly as often as its policy says, in so many worlds', async () => {
  for (let seed = 1000; seed < 1000 + seeds; seed++) {
    const world = await runWorld(seed);
    expect(wrongIn(world), `seed ${seed}\n${world.log.join('\n')}`).toBeUndefined();
  }
});
