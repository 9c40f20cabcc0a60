import { afterEach, expect, test, vi } from 'vitest';
import type { Claim } from '../../lib/pawl/index.ts';
import { sleep } from '../../lib/pawl/kernel/host.ts';
import type { Locks } from '../../lib/pawl/locks/index.ts';
import { bodyField, eachMessage } from '../../lib/pawl/sqs/index.ts';
import { type CrashSweepOptions, crashSweep, type World } from '../../lib/testing/index.ts';
import { firstOf } from '../support/whole.ts';
import { exampleOf, type Names } from './run-example.ts';
import { createOutside, type Outside, tableClient, tableName, wired } from './swept-world.ts';

type Repayment = { readonly requestId: string };
afterEach(() => vi.restoreAllMocks());

const example = await exampleOf('docs/guides/locks.md', 'forEachItem(');

/** A consumer whose handler is the example of the page, of so many debts. */
function repaying(
  debts: readonly string[],
  {
    client = tableClient,
    claimOf = (claim) => claim,
    names = (wiring) => wiring,
  }: {
    readonly client?: (world: World, outside: Outside) => ReturnType<typeof tableClient>;
    readonly claimOf?: (claim: Claim) => Claim;
    readonly names?: (names: Names) => Names;
  } = {},
): Pick<CrashSweepOptions<Outside>, 'provider' | 'handler' | 'effects'> {
  const idOf = (debt: string) => `debt ${debt}`;
  /** Each request repays on an account of its own, so that it can be seen who has repaid what. */
  const repaidBy = (requestId: string) => (debt: string) => ({
    TableName: tableName,
    Key: { id: idOf(debt) },
    UpdateExpression: 'ADD #by :one',
    ExpressionAttributeNames: { '#by': requestId },
    ExpressionAttributeValues: { ':one': 1 },
  });
  const timesOf = ({ table }: Outside, { requestId }: Repayment) =>
    Object.fromEntries(debts.map((debt) => [debt, Number(table.items.get(idOf(debt))?.[requestId]?.N ?? 0)]));
  return {
    provider: createOutside,
    effects: (outside, { body }) => timesOf(outside, body as Repayment),
    handler: (world, outside) =>
      eachMessage<Repayment>(
        { ...world.options, operation: 'repay', key: bodyField('requestId'), onAbandoned: 'retry' },
        async ({ body }, claim) => {
          await example({
            ...names(wired(world, outside, client(world, outside))),
            claim: claimOf(claim),
            customerId: 7,
            debts,
            repaid: repaidBy(body.requestId),
            allRepaid: async () => Object.values(timesOf(outside, body)).every((times) => times === 1),
          });
        },
      ),
  };
}

const messages = [{ body: { requestId: 'r1' } }];
const many = Array.from({ length: 200 }, (_, n) => `d-${n}`);
const good = { doubled: [], lost: [], stuck: [] };

test('the example of the locks page survives crashes, errors, lost answers and hanging calls at every await', async () => {
  const report = await crashSweep({
    messages,
    ...repaying(['a', 'b', 'c']),
    maxReceiveCount: 10,
    max: firstOf(800, { first: 100 }),
  });
  expect(report).toMatchObject(good);
  expect(report.fates).toMatchObject({ parked: 0, deadLettered: 0 });
});

const two = [...messages, { body: { requestId: 'r2' } }];

test('it survives them with two requests over the same debts', async () => {
  const report = await crashSweep({
    messages: two,
    ...repaying(['a', 'b']),
    maxReceiveCount: 20,
    max: firstOf(400, { first: 60 }),
  });
  expect(report).toMatchObject({ ...good, fates: { parked: 0, deadLettered: 0 } });
});

test('with its renewals down for 75 seconds it is not acknowledged before all is done', async () => {
  let attempts = 0;
  const slow = (world: World, outside: Outside) => {
    attempts++;
    const { host } = world.options;
    const begun = outside.now();
    return tableClient(world, outside, async (command, input) => {
      const written = JSON.stringify(input);
      const isLock = written.includes('lock-1');
      if (command === 'TransactWriteItemsCommand' && written.includes('debt d-')) await sleep(host, 9000);
      const isDown = attempts === 1 && outside.now() - begun > 5000 && outside.now() - begun < 90_000;
      if (command === 'PutItemCommand' && isLock && isDown) throw new Error('socket hang up');
    });
  };
  const report = await crashSweep({
    messages,
    // 32 chunks, four at a time: the last ones come after the lease.
    ...repaying(
      Array.from({ length: 800 }, (_, n) => `d-${n}`),
      { client: slow },
    ),
    functionTimeoutMs: 300_000,
    replay: [],
  });
  expect(attempts).toBeGreaterThan(1);
  expect(report).toMatchObject({ ...good, fates: { acknowledged: 1 } });
});

test('with its claim’s signal aborted midway it is not acknowledged before all is done', async () => {
  let chunks = 0;
  const controller = new AbortController();
  const report = await crashSweep({
    messages,
    ...repaying(many, {
      client: (world, outside) =>
        tableClient(world, outside, (command) => {
          if (command === 'TransactWriteItemsCommand' && ++chunks === 5) controller.abort();
        }),
      claimOf: (claim) => (claim.attempt === 1 ? { ...claim, signal: controller.signal } : claim),
    }),
    replay: [],
  });
  expect(chunks).toBeGreaterThan(5);
  expect(report).toMatchObject({ ...good, fates: { acknowledged: 1 } });
});

test('the sweep catches it where an unfinished work passes for one that is done', async () => {
  const passing = (names: Names): Names => {
    const forEach = names['forEachItem'] as (...args: readonly unknown[]) => Promise<unknown>;
    return { ...names, forEachItem: (...args: readonly unknown[]) => forEach(...args).catch(() => undefined) };
  };
  const report = await crashSweep({ messages, ...repaying(['a'], { names: passing }), max: 100 });
  expect(report.lost.length).toBeGreaterThan(0);
});

test('the sweep catches it where a busy lock passes for work that is done', async () => {
  const passing = (names: Names): Names => {
    const locksOf = names['resourceLocks'] as (options: object) => Locks;
    return {
      ...names,
      resourceLocks(options: object): Locks {
        const locks = locksOf(options);
        return { ...locks, withLock: locks.tryWithLock as Locks['withLock'] };
      },
    };
  };
  // Longer than the second request waits.
  const slow = (world: World, outside: Outside) =>
    tableClient(world, outside, async (command, input) => {
      const isChunk = command === 'TransactWriteItemsCommand' && JSON.stringify(input).includes('debt a');
      if (isChunk) await sleep(world.options.host, 9000);
    });
  const swept = (more: { readonly names?: (names: Names) => Names }) =>
    crashSweep({ messages: two, ...repaying(['a'], { client: slow, ...more }), replay: [] });
  expect(await swept({})).toMatchObject(good);
  const report = await swept({ names: passing });
  expect(report.lost.length).toBeGreaterThan(0);
});
