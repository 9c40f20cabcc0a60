import { expect, test } from 'vitest';
import { type Claim, hashed, memoryStore, once, RetryableError, reconcile, step } from '../../lib/pawl/index.ts';
import { type Deployments, type Mistake, type Rotated, rotate } from '../../proof/rotation/world.ts';
import { virtualHost } from '../support/virtual-host.ts';
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

/** A worker of `first` dies behind the effect, and then a worker of `second` has the message. @returns the effect keys of the effects, each once */
async function diesBetween(
  first: 'old' | 'both' | 'new',
  second: 'old' | 'both' | 'new',
  policy: 'retry' | 'reconcile',
) {
  const host = virtualHost();
  const store = memoryStore();
  const applied = new Set<string>();
  const ask = ({ effectKey }: { readonly effectKey: string }) =>
    ({ verdict: applied.has(effectKey) ? 'applied' : 'not-applied' }) as const;
  const onAbandoned = policy === 'retry' ? policy : reconcile({ ask, settleMs: 0 });
  const under = (name: 'old' | 'new') => ({
    ...{ operation: 'charge', store, host, onAbandoned, recordResult: false as const, onEvent: () => undefined },
    ...{ key: (order: string) => order, hideKeys: hashed(`the secret that is ${name}`) },
  });
  let dies = true;
  const charge = async (_: string, { effectKey }: Pick<Claim, 'effectKey'>): Promise<void> => {
    applied.add(effectKey);
    if (dies) await new Promise(() => undefined);
  };
  const inside = once<string, unknown, false>(under('new'), charge);
  const versions = {
    old: once<string, unknown, false>(under('old'), charge),
    both: once<string, unknown, false>(under('old'), (order, claim) =>
      inside(order, { remainingMs: () => claim.remainingMs() }),
    ),
    new: inside,
  };
  const called = { remainingMs: () => 10_000 };
  versions[first]('order-17', called).catch(() => undefined);
  await host.advance(1);
  dies = false;
  await host.advance(60_000);
  const again = versions[second]('order-17', called);
  await host.advance(5000);
  await again;
  return [...applied];
}

test.each([
  ['old', 'both'],
  ['both', 'both'],
  ['both', 'new'],
  ['new', 'both'],
] as const)(
  'under reconcile, what a worker of %s has left is asked about by its own effect key, in %s',
  async (first, second) => {
    expect(await diesBetween(first, second, 'reconcile')).toHaveLength(1);
  },
);

test('what is tried again under another effect key happens again, where the page says to wait for an empty queue', async () => {
  expect(await diesBetween('old', 'both', 'retry')).toHaveLength(2);
  expect(await diesBetween('both', 'old', 'retry')).toHaveLength(2);
  expect(await diesBetween('both', 'old', 'reconcile')).toHaveLength(2);
  expect(await diesBetween('both', 'both', 'retry')).toHaveLength(1);
  expect(await diesBetween('both', 'new', 'retry')).toHaveLength(1);
  expect(await diesBetween('new', 'both', 'retry')).toHaveLength(1);
});

test('a step that is done runs again under the claim of another secret, under every policy: the page says to wait for an empty queue', async () => {
  const store = memoryStore();
  const ran: string[] = [];
  const under = (name: 'old' | 'new') => ({
    ...{
      operation: 'charge',
      store,
      onAbandoned: 'park' as const,
      recordResult: false as const,
      onEvent: () => undefined,
    },
    ...{ key: (order: string) => order, hideKeys: hashed(`the secret that is ${name}`) },
  });
  const pay = async (_: string, claim: Claim) => {
    await step(claim, 'charge', () => void ran.push('charge'), { onAbandoned: 'park' });
    if (ran.length === 1) throw new RetryableError('no connection to the mailer');
  };
  const old = once<string, unknown, false>(under('old'), pay);
  const inside = once<string, unknown, false>(under('new'), pay);
  const both = once<string, unknown, false>(under('old'), (order) => inside(order));
  await expect(old('order-17')).rejects.toThrow('no connection');
  await both('order-17');
  expect(ran).toEqual(['charge', 'charge']);
});
