import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { deliverUntilTaken, type Run, run, sweepOut } from './process.ts';
import { type Storage, storages } from './storages.ts';

/*
 * The tables of docs/guides/outbox.md and outbox-postgres.md, row by row: a worker, a relay or a consumer in a process of its own is killed with SIGKILL at each request that it
 * makes, on the way of a receipt through a standard and a FIFO queue, and of points through an event bus. Then the message comes again, the relay reads its
 * stream, the sweep runs, and a consumer takes what is in the queue.
 */

interface Point {
  readonly role: Run['role'];
  readonly diesAt: string;
  readonly says: string;
}

const inDynamo: readonly Point[] = [
  { role: 'post', diesAt: 'sends QueryCommand', says: 'the worker, before it reads the counter of a group' },
  { role: 'post', diesAt: 'sends TransactWriteItemsCommand', says: 'the worker, before the commit' },
  { role: 'post', diesAt: 'wrote TransactWriteItemsCommand', says: 'the worker, after the commit, before it knows' },
  { role: 'commit', diesAt: 'wrote TransactWriteItemsCommand', says: 'the same, of `commit` in a handler' },
  { role: 'post', diesAt: 'sends send', says: 'the worker, before the message is sent' },
  { role: 'post', diesAt: 'wrote send', says: 'the worker, after the message is sent, before it knows' },
  { role: 'post', diesAt: 'sends remove', says: 'the worker, before the message is removed' },
  { role: 'post', diesAt: 'wrote remove', says: 'the worker, after the message is removed' },
  { role: 'relay', diesAt: 'sends QueryCommand', says: 'the relay, before it reads what is left' },
  { role: 'relay', diesAt: 'sends send', says: 'the relay, before the message is sent' },
  { role: 'relay', diesAt: 'wrote send', says: 'the relay, after the message is sent' },
  { role: 'relay', diesAt: 'wrote remove', says: 'the relay, after the message is removed' },
  { role: 'sweep', diesAt: 'sends send', says: 'the sweep, before the message is sent' },
  { role: 'sweep', diesAt: 'wrote send', says: 'the sweep, after the message is sent' },
];

const inPostgres: readonly Point[] = [
  { role: 'post', diesAt: 'sends count', says: 'the worker, before it counts a group on' },
  { role: 'post', diesAt: 'sends write', says: 'the worker, before the message is written' },
  { role: 'post', diesAt: 'sends COMMIT', says: 'the worker, before `COMMIT`' },
  { role: 'post', diesAt: 'wrote COMMIT', says: 'the worker, after `COMMIT`, before it knows' },
  { role: 'commit', diesAt: 'wrote COMMIT', says: 'the same, of `commit` in a handler' },
  { role: 'post', diesAt: 'sends send', says: 'the worker, before the message is sent' },
  { role: 'post', diesAt: 'wrote send', says: 'the worker, after the message is sent, before it knows' },
  { role: 'post', diesAt: 'sends remove', says: 'the worker, before the message is removed' },
  { role: 'post', diesAt: 'wrote remove', says: 'the worker, after the message is removed' },
  { role: 'relay', diesAt: 'sends due', says: 'the relay, before it takes what is due' },
  { role: 'relay', diesAt: 'wrote due', says: 'the relay, after it has taken what is due' },
  { role: 'relay', diesAt: 'sends send', says: 'the relay, before the message is sent' },
  { role: 'relay', diesAt: 'wrote send', says: 'the relay, after the message is sent' },
  { role: 'relay', diesAt: 'wrote remove', says: 'the relay, after the message is removed' },
];

const inConsumer: readonly Point[] = [
  { role: 'consume', diesAt: 'sends claim', says: 'the consumer, before its claim is written' },
  { role: 'consume', diesAt: 'wrote claim', says: 'the consumer, after its claim is written, before it knows' },
  { role: 'consume', diesAt: 'sends effect', says: 'the consumer, before its provider has applied the effect' },
  { role: 'consume', diesAt: 'wrote effect', says: 'the consumer, after its provider has applied it, before it knows' },
  { role: 'consume', diesAt: 'sends complete', says: 'the consumer, before the completion is written' },
  { role: 'consume', diesAt: 'wrote complete', says: 'the consumer, after the completion is written, before it knows' },
];

/** What needs a group, and so happens on a FIFO queue only. */
const ofGroups: readonly string[] = ['sends QueryCommand', 'sends count'];

/** Where copies of the message arrive: by themselves, or behind an event bus. */
const ways = ['receipts', 'changes.fifo', 'points'] as const;
/** Of each point, on each of the ways: the copies of the message, the entries, and the effects at the consumer's provider. */
const measured = new Map<string, readonly number[]>();

function pointsOf({ database }: Storage): readonly Point[] {
  return [...(database === 'DynamoDB' ? inDynamo : inPostgres), ...inConsumer];
}

const cases = storages.flatMap((storage) =>
  pointsOf(storage).map((point) => ({ ...storage, point, says: point.says })),
);

describe.each(cases)('in $database, killed: $says', ({ database, setUp, point }) => {
  it.each(ways)('has one entry and one effect behind it, and nothing is left (%s)', async (way) => {
    const dies = !(way !== 'changes.fifo' && point.role === 'post' && ofGroups.includes(point.diesAt));
    const world = await setUp();
    const queue = { receipts: world.receipts, 'changes.fifo': world.changes, points: world.points }[way];
    const to = way === 'points' ? world.bus.url : queue.url;
    const isWorker = point.role === 'post' || point.role === 'commit';
    const message = (receiveCount: number) => sqsEvent(sqsRecord({ id: 'p-1' }, { receiveCount, messageId: 'm-1' }));
    if (!isWorker) await deliverUntilTaken(world, to, { role: 'post', event: message(1), atOnceMs: 0 });
    const isRelay = point.role === 'relay' || point.role === 'sweep';
    const event = isWorker ? message(1) : point.role === 'relay' ? await world.relayEvent() : {};
    if (isWorker || isRelay) {
      const ended = await deliverUntilTaken(world, to, { role: point.role, event, diesAt: point.diesAt });
      expect(ended).toBe(dies ? 'SIGKILL' : 'returned');
    }

    // SQS delivers again what was not acknowledged, Lambda the batch of the stream, and the schedule goes on.
    if (isWorker) expect(await deliverUntilTaken(world, to, { role: point.role, event: message(2) })).toBe('returned');
    await run(world, to, { role: 'relay', event: await world.relayEvent() });
    await sweepOut(world, to);

    expect(await world.waiting()).toEqual([]);
    const entries = [await world.entry('p-1')];
    expect(entries).toEqual([{ id: 'p-1' }]);
    const copies = await world.sent(way);
    await world.deliver(queue, async (received) => {
      const takes: Run = { role: 'consume', event: received };
      if (point.role === 'consume')
        expect(await deliverUntilTaken(world, to, { ...takes, diesAt: point.diesAt })).toBe('SIGKILL');
      // Later: the lease of a consumer that has died is over.
      expect(await deliverUntilTaken(world, to, { ...takes, aheadMs: 31_000 })).toBe('returned');
    });
    const effects = [...world.provider.applied.values()];
    expect(effects).toEqual([{ id: 'p-1' }]);
    measured.set(`${database} ${point.says} ${way}`, [copies.length, entries.length, effects.length]);
  });
});

it('are the tables of the pages', async () => {
  const read = (name: string) => readFile(new URL(`../../../../docs/guides/${name}.md`, import.meta.url), 'utf8');
  const page = (await Promise.all(['outbox', 'outbox-postgres'].map(read))).join('\n');
  const rows = cases.map(({ database, says }) => {
    const of = ways.map((way) => measured.get(`${database} ${says} ${way}`) ?? []);
    const [receipts, , points] = of;
    return `| ${[says, ...of.map(([copies]) => copies), receipts?.[1], receipts?.[2], points?.[2]].join(' | ')} |`;
  });
  const printed = page.split('\n').filter((line) => /^\| the (worker|same|relay|sweep|consumer), /.test(line));
  // Where this machine has no PostgreSQL, its table is not seen.
  const seen = storages.flatMap(pointsOf).length;
  expect(printed.slice(0, seen)).toEqual(rows);
  expect(printed).toHaveLength(inDynamo.length + inPostgres.length + 2 * inConsumer.length);
});
