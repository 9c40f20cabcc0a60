import { afterEach, expect, test, vi } from 'vitest';
import { sleep } from '../../lib/core/host.ts';
import type { Claim } from '../../lib/index.ts';
import { bodyField, eachMessage } from '../../lib/sqs/index.ts';
import { crashSweep, type SweepOptions, type World } from '../../lib/testing/index.ts';
import { exampleOf } from './run-example.ts';
import { createOutside, type Outside, tableClient, tableName, wired } from './swept-world.ts';

type Repayment = { readonly requestId: string };
afterEach(() => vi.restoreAllMocks());

const example = await exampleOf('docs/locks.md', 'forEachItem(');

/** A consumer whose handler is the example of the page, of so many debts. */
function repaying(
  debts: readonly string[],
  {
    client = tableClient,
    claimOf = (claim) => claim,
  }: {
    readonly client?: (world: World, outside: Outside) => ReturnType<typeof tableClient>;
    readonly claimOf?: (claim: Claim) => Claim;
  } = {},
): Pick<SweepOptions<Outside>, 'provider' | 'handler' | 'effects'> {
  const idOf = (debt: string) => `debt ${debt}`;
  const repaid = (debt: string) => ({
    TableName: tableName,
    Key: { id: idOf(debt) },
    UpdateExpression: 'ADD #repaid :one',
    ExpressionAttributeNames: { '#repaid': 'repaid' },
    ExpressionAttributeValues: { ':one': 1 },
  });
  const timesOf = ({ table }: Outside) =>
    Object.fromEntries(debts.map((debt) => [debt, Number(table.items.get(idOf(debt))?.['repaid']?.N ?? 0)]));
  return {
    provider: createOutside,
    effects: timesOf,
    handler: (world, outside) =>
      eachMessage<Repayment>(
        { ...world.options, operation: 'repay', key: bodyField('requestId'), onAbandoned: 'retry' },
        async (_, claim) => {
          await example({
            ...wired(world, outside, client(world, outside)),
            claim: claimOf(claim),
            customerId: 7,
            debts,
            repaid,
            allRepaid: async () => Object.values(timesOf(outside)).every((times) => times === 1),
          });
        },
      ),
  };
}

const messages = [{ body: { requestId: 'r-1' } }];
const many = Array.from({ length: 200 }, (_, n) => `d-${n}`);
const good = { doubled: [], lost: [], stuck: [] };

test('the example of the locks page survives crashes, errors, lost answers and hanging calls at every await', async () => {
  const report = await crashSweep({ messages, ...repaying(['a', 'b', 'c']), maxReceiveCount: 10, max: 800 });
  expect(report).toMatchObject(good);
  expect(report.fates).toMatchObject({ parked: 0, deadLettered: 0 });
}, 120_000);

test('it survives them with two requests over the same debts', async () => {
  const both = [...messages, { body: { requestId: 'r-2' } }];
  const { effects, ...rest } = repaying(['a', 'b']);
  // Each repays what it is told, as the example has no look at what is open: twice, by two requests, and no more.
  const halved: typeof effects = (outside, message) =>
    Object.fromEntries(Object.entries(effects(outside, message)).map(([debt, times]) => [debt, Math.abs(times - 1)]));
  const report = await crashSweep({ messages: both, ...rest, effects: halved, maxReceiveCount: 20, max: 400 });
  expect(report).toMatchObject({ ...good, fates: { parked: 0, deadLettered: 0 } });
}, 120_000);

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
