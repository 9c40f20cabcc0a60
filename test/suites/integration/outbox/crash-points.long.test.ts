import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { type Run, run } from './process.ts';
import { storages } from './storages.ts';

/*
 * The table of docs/guides/outbox.md, row by row: a worker or a relay in a process of its own is killed with SIGKILL at each request that it makes, on a
 * standard and on a FIFO queue. Then the message comes again, the relay reads its stream, the sweep runs, and a consumer takes what is in the queue.
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
  { role: 'post', diesAt: 'sends SendMessageCommand', says: 'the worker, before the message is sent' },
  { role: 'post', diesAt: 'wrote SendMessageCommand', says: 'the worker, after the message is sent, before it knows' },
  { role: 'post', diesAt: 'sends BatchExecuteStatementCommand', says: 'the worker, before the message is removed' },
  { role: 'post', diesAt: 'wrote BatchExecuteStatementCommand', says: 'the worker, after the message is removed' },
  { role: 'relay', diesAt: 'sends QueryCommand', says: 'the relay, before it reads what is left' },
  { role: 'relay', diesAt: 'sends SendMessageCommand', says: 'the relay, before the message is sent' },
  { role: 'relay', diesAt: 'wrote SendMessageCommand', says: 'the relay, after the message is sent' },
  { role: 'relay', diesAt: 'wrote BatchExecuteStatementCommand', says: 'the relay, after the message is removed' },
  { role: 'sweep', diesAt: 'sends SendMessageCommand', says: 'the sweep, before the message is sent' },
  { role: 'sweep', diesAt: 'wrote SendMessageCommand', says: 'the sweep, after the message is sent' },
];

const inPostgres: readonly Point[] = [
  { role: 'post', diesAt: 'sends count', says: 'the worker, before it counts a group on' },
  { role: 'post', diesAt: 'sends write', says: 'the worker, before the message is written' },
  { role: 'post', diesAt: 'sends COMMIT', says: 'the worker, before `COMMIT`' },
  { role: 'post', diesAt: 'wrote COMMIT', says: 'the worker, after `COMMIT`, before it knows' },
  { role: 'commit', diesAt: 'wrote COMMIT', says: 'the same, of `commit` in a handler' },
  { role: 'post', diesAt: 'sends SendMessageCommand', says: 'the worker, before the message is sent' },
  { role: 'post', diesAt: 'wrote SendMessageCommand', says: 'the worker, after the message is sent, before it knows' },
  { role: 'post', diesAt: 'sends remove', says: 'the worker, before the message is removed' },
  { role: 'post', diesAt: 'wrote remove', says: 'the worker, after the message is removed' },
  { role: 'relay', diesAt: 'sends due', says: 'the relay, before it takes what is due' },
  { role: 'relay', diesAt: 'wrote due', says: 'the relay, after it has taken what is due' },
  { role: 'relay', diesAt: 'sends SendMessageCommand', says: 'the relay, before the message is sent' },
  { role: 'relay', diesAt: 'wrote SendMessageCommand', says: 'the relay, after the message is sent' },
  { role: 'relay', diesAt: 'wrote remove', says: 'the relay, after the message is removed' },
];

/** What needs a group, and so does not happen on a standard queue. */
const ofGroups: readonly string[] = ['sends QueryCommand', 'sends count'];

const queuesOf = ['receipts', 'changes.fifo'] as const;
/** Of each point, on each of the queues: the copies of the message, the entries, and the runs of its consumer's handler. */
const measured = new Map<string, readonly number[]>();

const cases = storages.flatMap((storage) =>
  (storage.database === 'DynamoDB' ? inDynamo : inPostgres).map((point) => ({ ...storage, point, says: point.says })),
);

describe.each(cases)('in $database, killed: $says', ({ database, setUp, point }) => {
  it.each(queuesOf)('has one entry and one receipt, and nothing is left (%s)', async (queue) => {
    const dies = !(queue === 'receipts' && point.role === 'post' && ofGroups.includes(point.diesAt));
    const world = await setUp();
    const to = queue === 'receipts' ? world.receipts : world.changes;
    const isWorker = point.role === 'post' || point.role === 'commit';
    const message = (receiveCount: number) => sqsEvent(sqsRecord({ id: 'p-1' }, { receiveCount, messageId: 'm-1' }));
    if (!isWorker) await run(world, to.url, { role: 'post', event: message(1), atOnceMs: 0 });
    const event = isWorker ? message(1) : point.role === 'relay' ? await world.relayEvent() : {};
    const ended = await run(world, to.url, { role: point.role, event, diesAt: point.diesAt });
    expect(ended).toBe(dies ? 'SIGKILL' : 'returned');

    // SQS delivers again what was not acknowledged, Lambda the batch of the stream, and the schedule goes on.
    if (isWorker) expect(await run(world, to.url, { role: point.role, event: message(2) })).toBe('returned');
    await run(world, to.url, { role: 'relay', event: await world.relayEvent() });
    // Later: what a relay in PostgreSQL has taken it holds for half a minute, also where it has died.
    await run(world, to.url, { role: 'sweep', event: {}, aheadMs: 31_000 });

    expect(await world.waiting()).toEqual([]);
    const entries = [await world.entry('p-1')];
    expect(entries).toEqual([{ id: 'p-1' }]);
    const copies = await world.sent(queue);
    const effects = await world.consume(to);
    expect(effects).toEqual([{ id: 'p-1' }]);
    measured.set(`${database} ${point.says} ${queue}`, [copies.length, entries.length, effects.length]);
  });
});

it('is the table of the page', async () => {
  const page = await readFile(new URL('../../../../docs/guides/outbox.md', import.meta.url), 'utf8');
  const rows = cases.map(({ database, says }) => {
    const [standard, fifo] = queuesOf.map((queue) => measured.get(`${database} ${says} ${queue}`) ?? []);
    return `| ${[says, standard?.[0], fifo?.[0], standard?.[1], standard?.[2]].join(' | ')} |`;
  });
  const printed = page.split('\n').filter((line) => /^\| the (worker|same|relay|sweep), /.test(line));
  // Where this machine has no PostgreSQL, its table is not seen.
  expect(storages.length === 1 ? printed.slice(0, inDynamo.length) : printed).toEqual(rows);
});
