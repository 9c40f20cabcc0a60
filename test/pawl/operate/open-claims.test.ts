import { expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { collect } from '../../support/collect.ts';
import { record } from '../../support/records.ts';
import { someDay, virtualHost } from '../../support/virtual-host.ts';

const minute = 60_000;

function incident() {
  const host = virtualHost(someDay + 60 * minute);
  const store = memoryStore();
  const parked = { status: 'parked', open: '00', error: { name: 'abandoned', message: '' } } as const;
  const claims = [
    ...Array.from({ length: 40 }, (_, index) => record({ ...parked, id: `mail#order-${index}` })),
    record({ ...parked, id: 'pay#order-1', error: { name: 'outcome-unknown', message: 'Error: reset' } }),
    record({
      id: 'pay#order-2',
      status: 'released',
      unknownAt: someDay,
      open: '00',
      firstSeenAt: someDay + 30 * minute,
    }),
    record({ id: 'pay#order-3', open: '00' }),
    record({ id: 'pay#order-4', status: 'completed' }),
  ];
  for (const next of claims) store.write({ next, seen: undefined });
  return { store, operate: operator({ store, host }) };
}

const listed = async (query: Parameters<ReturnType<typeof operator>['openClaims']>[0]) => {
  const pages = await collect(incident().operate.openClaims(query));
  return pages.flatMap(({ claims }) => claims.map(({ id }) => id));
};

it('lists every open claim once, in pages', async () => {
  const { operate } = incident();
  const pages = await collect(operate.openClaims({ limit: 10 }));
  const ids = pages.flatMap(({ claims }) => claims.map(({ id }) => id));
  expect([ids.length, new Set(ids).size]).toEqual([43, 43]);
  expect(pages.every(({ claims }) => claims.length <= 10)).toBe(true);
  expect(pages.at(-1)).toMatchObject({ cursor: undefined });
});

it('reads a page only when it is asked for, and goes on from its cursor', async () => {
  const { operate, store } = incident();
  let reads = 0;
  const listOpen = store.listOpen;
  store.listOpen = (query) => {
    reads++;
    return listOpen(query);
  };
  const { value: first } = await operate.openClaims({ limit: 10 }).next();
  expect(reads).toBe(1);
  const rest = await collect(operate.openClaims({ limit: 1000, cursor: first?.cursor }));
  expect(rest.flatMap(({ claims }) => claims)).toHaveLength(33);
});

it.each([
  [{ operation: 'pay' }, ['pay#order-1', 'pay#order-2', 'pay#order-3']],
  [{ operation: 'mail', keyPrefix: 'order-39' }, ['mail#order-39']],
  [{ state: 'in-doubt' }, ['pay#order-2']],
  [{ state: 'in-flight' }, ['pay#order-3']],
  [{ operation: 'pay', state: 'parked' }, ['pay#order-1']],
  [{ reason: 'outcome-unknown' }, ['pay#order-1']],
  [{ operation: 'pay', olderThanMs: 40 * minute }, ['pay#order-1', 'pay#order-3']],
  // An old claim may have a young doubt: the first attempt was days ago, and the last one has just died.
  [{ doubtOlderThanMs: 59.8 * minute }, ['pay#order-2']],
  [{ doubtOlderThanMs: 10 * minute }, ['pay#order-2', 'pay#order-3']],
  [{ doubtOlderThanMs: 61 * minute }, []],
] as const)('lists what fits %j', async (query, ids) => {
  expect(await listed(query)).toEqual(ids);
});

it('says of each claim what it is, and nothing of its payload or result', async () => {
  const [page] = await collect(incident().operate.openClaims({ operation: 'pay', reason: 'outcome-unknown' }));
  expect(page?.claims).toEqual([
    {
      id: 'pay#order-1',
      operation: 'pay',
      key: 'order-1',
      state: 'parked',
      status: 'parked',
      reason: 'outcome-unknown',
      error: { name: 'outcome-unknown', message: 'Error: reset' },
      fence: 1,
      attempts: 1,
      abandoned: 0,
      firstSeenAt: someDay,
      leaseUntil: someDay + 30_000,
      inDoubtSince: undefined,
      attributes: undefined,
    },
  ]);
});

it.each([
  [{ keyPrefix: 'o' }, /^keyPrefix: expected to be given with operation/],
  [{ state: 'open' }, /^state: expected parked, in-doubt, waiting, in-flight/],
  [{ limit: 0 }, /^limit: expected/],
  [{ olderThanMs: -1 }, /^olderThanMs: expected/],
  [{ doubtOlderThanMs: Number.NaN }, /^doubtOlderThanMs: expected/],
])('refuses %j', async (query, message) => {
  await expect(listed(query as never)).rejects.toThrow(message);
});

it('refuses a store that has no index of open claims', async () => {
  const { read, write } = memoryStore();
  const store: ClaimStore = { read, write };
  await expect(operator({ store }).openClaims().next()).rejects.toThrow(/^store: expected one that lists open claims/);
});
