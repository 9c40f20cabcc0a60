import { expect, test } from 'vitest';
import { type Deployments, type Mistake, type Rotated, rotate } from '../../proof/rotation/world.ts';
import { firstOf } from '../support/whole.ts';

/** How many seeds. `npm run campaign -- rotation` has 2,000. */
const seeds = Number(process.env['PAWL_SEEDS'] ?? firstOf(60, { first: 24 }));

/** The way of docs/guides/keys.md, with a rollback at each end: forth, back, and forth again. */
const there: Deployments = [
  ['old'],
  ['old', 'both'],
  ['both'],
  ['both', 'old'],
  ['old'],
  ['old', 'both'],
  ['both'],
  'wait',
  ['both', 'new'],
  ['new'],
  ['new', 'both'],
  ['both'],
  ['both', 'new'],
  ['new'],
];

async function all(run: { readonly deployments: Deployments; readonly kills: number; readonly mistake?: Mistake }) {
  const results: Rotated[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) results.push(await rotate({ ...run, seed }));
  const sum = (of: (one: Rotated) => number) => results.reduce((total, one) => total + of(one), 0);
  return {
    problems: results.flatMap(({ problems }, index) => problems.map((problem) => `seed ${index + 1}: ${problem}`)),
    kills: sum((one) => one.kills),
    parked: sum((one) => one.parked),
    honoured: sum((one) => one.honoured),
  };
}

test('a secret that is changed by way of both, forth and back, under kills: no key has two effects, and none is lost', async () => {
  const { problems, kills, parked, honoured } = await all({ deployments: there, kills: 0.03 });
  expect(problems).toEqual([]);
  // Each of these has happened, so that it was looked at.
  expect(kills).toBeGreaterThan(seeds);
  expect(parked).toBeGreaterThan(0);
  expect(honoured).toBeGreaterThan(seeds);
});

test('where no worker is killed, nothing is parked on the way', async () => {
  const { problems, parked } = await all({ deployments: there, kills: 0 });
  expect([problems, parked]).toEqual([[], 0]);
});

test.each<[string, { readonly deployments: Deployments; readonly mistake?: Mistake }]>([
  ['without the version between the two', { deployments: [['old'], ['old', 'new'], ['new']] }],
  ['without the wait', { deployments: there.filter((one) => one !== 'wait') }],
  ['with workers of all three side by side', { deployments: [['old'], ['old', 'both', 'new'], ['new']] }],
  [
    'back to the old version, after the new one has run',
    { deployments: [['both'], ['both', 'new'], ['both'], ['old']] },
  ],
  ['with a claim of the old secret that is read, and not claimed', { deployments: there, mistake: 'reads' }],
  ['with another policy for the claim of the old secret', { deployments: there, mistake: 'retries' }],
])('a change %s is found', async (_, run) => {
  const { problems } = await all({ ...run, kills: 0.03 });
  expect(problems.join('\n')).toMatch(/has 2 effects/);
});
