import { describe, expect } from 'vitest';
import { firstOf } from '../../support/whole.ts';
import { attack, type Found } from './attack.ts';
import { promise } from './kit.ts';

const seeds = Number(process.env['ATTACK_SEEDS'] ?? firstOf(300, { first: 60 }));
const from = Number(process.env['ATTACK_FROM'] ?? 1);

describe('a hostile store, a hostile provider and clocks that differ', () => {
  promise(
    'protocol, invariants 1, 2, 4, 5, 6, 7 and 14',
    'At most one applied effect per key … `completed` implies that the effect is confirmed … None is lost … every message reaches done, dead-letter or parked in bounded time',
    'whatever goes wrong, no effect happens twice, nothing is acknowledged without its effect, and every message has an end',
    async () => {
      const found: Found[] = [];
      for (let seed = from; seed < from + seeds; seed++) found.push(await attack(seed));
      const total = (of: 'done' | 'dead' | 'faults' | 'kills' | 'effects') =>
        found.reduce((sum, one) => sum + one[of], 0);
      const wrong = found.filter((one) => one.wrong.length > 0);
      if (process.env['ATTACK_SEEDS'])
        console.log(
          `${found.length} seeds`,
          Object.fromEntries((['done', 'dead', 'faults', 'kills', 'effects'] as const).map((of) => [of, total(of)])),
        );
      expect(wrong.map(({ seed, what, wrong: [first] }) => `seed ${seed} (${what}): ${first}`)).toEqual([]);
      // Otherwise it has shown nothing.
      expect(total('done')).toBeGreaterThan(found.length);
      expect(total('faults')).toBeGreaterThan(found.length);
      expect(total('kills')).toBeGreaterThan(found.length);
    },
  );
});
