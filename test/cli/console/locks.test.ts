import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LockShown, LocksList, PlanShown } from '../../../lib/cli/console/api.ts';
import { type RunningConsole, startConsole } from '../../../lib/cli/console/server.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { lockOperator, memoryLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { openPage } from '../../support/console-client.ts';
import { record } from '../../support/records.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** What the page shows and does of locks, over the real server. */

const maria = { by: 'maria', note: 'the account is closed' };
const onEvent = () => undefined;
let store: ReturnType<typeof memoryStore>;
let lockStore: ReturnType<typeof memoryLockStore>;
let served: RunningConsole;
let host: ReturnType<typeof virtualHost>;
let page: Awaited<ReturnType<typeof openPage>>;

async function serve(write: boolean): Promise<void> {
  await served?.stop();
  served = await startConsole({
    desks: new Map([
      [
        'claims',
        {
          operate: operator({ store, onEvent }),
          locks: lockOperator({ store: lockStore, host, onEvent }),
          progressOf: async (holder: string, work: string) =>
            holder === 'repay#1' && work === 'repay' ? { done: 2, total: 6 } : undefined,
        },
      ],
    ]),
    ...{ title: 'claims', write, user: 'maria', queues: [], works: ['repay', 'mail'] },
  });
  page = await openPage(served);
}

/** A lock as its last attempt has left it. */
async function locked(holder: string, end: 'keep' | 'hold'): Promise<string> {
  const locks = resourceLocks({ store: lockStore, host, onEvent });
  const lock = await locks.lockAll([['debt', holder]], { holder, reason: 'repayment' });
  await host.advance(1000);
  // A lock is listed from its second write on.
  if (end === 'keep') await lock.keep();
  else await lock.renew();
  return lock.id;
}

beforeEach(async () => {
  store = memoryStore();
  lockStore = memoryLockStore();
  host = virtualHost(Date.now());
  for (const n of [1, 2]) await locked(`repay#${n}`, 'keep');
  await locked('repay#3', 'hold');
  await store.write({ next: record({ id: 'repay#2', status: 'rejected' }), seen: undefined });
  await serve(true);
});
afterEach(() => served.stop());

const listed = async (query = ''): Promise<LocksList> => JSON.parse((await page.get(`/api/locks${query}`)).text);
const planned = async (locks: unknown): Promise<PlanShown> =>
  JSON.parse((await page.post('/api/plan', { kind: 'release', locks })).text);
const acted = async (planId: string) =>
  (await page.post('/api/act', { planId, ...maria })).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const outcomes = (lines: readonly { result?: { outcome: string; whyNot?: string } }[]) =>
  lines.map(({ result }) => result?.whyNot ?? result?.outcome);

it('lists the locks that stand, each with the claim of its holder and how far its works are', async () => {
  const { locks, total, matching, truncated } = await listed();
  expect([total, matching.length, truncated]).toEqual([3, 3, false]);
  expect(locks.map(({ holder, state, claim, works }) => ({ holder, state, claim, works }))).toEqual([
    { holder: 'repay#1', state: 'kept', works: [{ work: 'repay', done: 2, total: 6 }] },
    { holder: 'repay#2', state: 'kept', claim: 'rejected', works: [] },
    { holder: 'repay#3', state: 'held', works: [] },
  ]);
  expect(locks[0]).toMatchObject({ reason: 'repayment', first: [['debt', 'repay#1']], since: expect.any(Number) });
  expect(JSON.parse((await page.get('/api/overview')).text).locks).toEqual({
    ...{ kept: 2, 'lease-over': 0, held: 1 },
    oldestAt: locks[0]?.since,
  });
});

it.each([
  ['?state=held', ['repay#3']],
  ['?q=DEBT%2Frepay%232', ['repay#2']],
  ['?q=nothing', []],
  ['?size=1&offset=1', ['repay#2']],
])('filters and pages them: %s', async (query, holders) => {
  const { locks, matching } = await listed(query);
  expect(locks.map(({ holder }) => holder)).toEqual(holders);
  // What is released is all that the filter finds, and not a page of it.
  if (query.includes('size')) expect(matching).toHaveLength(3);
});

it('shows one lock, also one that has ended', async () => {
  const [first] = (await listed()).locks;
  const shown = async (id: string | undefined): Promise<LockShown | undefined> =>
    JSON.parse((await page.get(`/api/lock?id=${encodeURIComponent(id ?? '')}`)).text).lock;
  expect(await shown(first?.id)).toMatchObject({ state: 'kept', works: [{ done: 2 }] });
  expect(await shown('#lock#none')).toBeUndefined();
  await acted((await planned([first])).planId);
  expect(await shown(first?.id)).toMatchObject({ state: 'ended', released: maria });
});

it('releases many by one plan, and none whose worker may be alive', async () => {
  const { matching } = await listed();
  const plan = await planned(matching);
  expect(plan).toMatchObject({ kind: 'release', count: 2, stay: 1 });
  expect(plan.summary).toEqual([
    { will: 'release', count: 2 },
    { will: 'stay: held', count: 1 },
  ]);
  expect((await listed('?fresh=1')).total).toBe(3);
  expect(outcomes(await acted(plan.planId))).toEqual(['released', 'released', 'held', undefined]);
  // What was read before the act is out of date.
  expect((await listed()).locks).toMatchObject([{ holder: 'repay#3' }]);
});

it('leaves a lock that has changed since the page showed it, or whose holder has come again', async () => {
  const [{ id, fence } = { id: '', fence: 0 }] = (await listed()).locks;
  expect((await planned([{ id, fence: fence - 1 }])).summary).toEqual([{ will: 'stay: changed', count: 1 }]);
  const plan = await planned([{ id, fence }]);
  await locked('repay#1', 'keep');
  expect(outcomes(await acted(plan.planId))).toEqual(['ended', undefined]);
});

it('releases nothing where it only reads, and nothing that is not named well', async () => {
  expect(await page.post('/api/plan', { kind: 'release', locks: 'all' })).toMatchObject({ status: 400 });
  expect(await page.post('/api/plan', { kind: 'release', locks: [{ id: 'x' }] })).toMatchObject({ status: 400 });
  await serve(false);
  expect(await page.post('/api/plan', { kind: 'release', locks: [] })).toMatchObject({ status: 403 });
  expect((await listed()).total).toBe(3);
});
