import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { bodyField, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { createLimit } from '../../../lib/pawl/sqs/limit.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

/** A batch with a poison message in it: whoever handles that never answers again, as if its sandbox were gone. */
function poisonedBatch(size: number, poisonAt: number) {
  const host = virtualHost();
  const store = memoryStore();
  const done: string[] = [];
  const runningWith: string[][] = [];
  let running: string[] = [];
  const records = Array.from({ length: size }, (_, n) => sqsRecord({ orderId: n === poisonAt ? 'poison' : `o-${n}` }));
  let receives = 0;

  /** One delivery of all of it to a new sandbox. Answers nothing when the sandbox dies. */
  async function deliver(batch = records): Promise<readonly string[] | undefined> {
    receives++;
    running = [];
    const handler = eachMessage<{ orderId: string }>(
      {
        operation: 'send-email',
        aws: noQueue,
        store,
        key: bodyField('orderId'),
        onAbandoned: 'retry',
        backoffSeconds: () => undefined,
        onEvent: () => undefined,
        host,
      },
      async ({ body }) => {
        running.push(body.orderId);
        runningWith.push([...running]);
        // The others take a moment; the poison kills at once, and takes down whatever runs beside it.
        if (body.orderId === 'poison') {
          died.resolve(undefined);
          return new Promise(() => undefined);
        }
        await new Promise((resolve) => setImmediate(resolve));
        if (isDead) return new Promise(() => undefined);
        running.splice(running.indexOf(body.orderId), 1);
        done.push(body.orderId);
      },
    );
    const died = Promise.withResolvers<undefined>();
    let isDead = false;
    void died.promise.then(() => {
      isDead = true;
    });
    const event = sqsEvent(
      ...batch.map((record) => ({ ...record, attributes: { ApproximateReceiveCount: String(receives) } })),
    );
    const answer = await Promise.race([handler(event, context(30_000, host.now)), died.promise]);
    await host.advance(60_000);
    return answer && failuresOf(answer);
  }

  return {
    store,
    done,
    runningWith,
    deliver,
    statusOf: (id: string) => store.records().find((r) => r.id.endsWith(id))?.status,
  };
}

describe('a message that kills its workers', () => {
  it('runs alone from its second delivery on, after everything else that was running with it (batch-run.ts 5)', async () => {
    const { deliver, done, runningWith } = poisonedBatch(10, 9);
    await deliver();
    expect(runningWith.at(-1)).toHaveLength(10);
    runningWith.length = 0;
    await deliver();
    expect(done.sort()).toEqual(['o-0', 'o-1', 'o-2', 'o-3', 'o-4', 'o-5', 'o-6', 'o-7', 'o-8']);
    expect(runningWith.every((together) => together.length === 1)).toBe(true);
  });

  it('goes last among suspects once it has killed twice', async () => {
    const { deliver, done } = poisonedBatch(10, 0);
    await deliver();
    await deliver();
    expect(done).toEqual([]);
    await deliver();
    expect(done).toHaveLength(9);
  });

  it('is parked when it has killed three, and everything else is done', async () => {
    const { deliver, done, statusOf } = poisonedBatch(10, 4);
    for (let delivery = 1; delivery <= 3; delivery++) expect(await deliver()).toBeUndefined();
    expect(statusOf('#poison')).toBe('in-flight');
    expect(await deliver()).toHaveLength(1);
    expect(statusOf('#poison')).toBe('parked');
    expect(done).toHaveLength(9);
  });
});

describe('createLimit', () => {
  it('runs what is to run alone after everything else, with nothing beside it, the lowest rank first', async () => {
    const { inTurn } = createLimit(2);
    const order: string[] = [];
    let running = 0;
    const task = (name: string) => async () => {
      running++;
      order.push(`${name}/${running}`);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await Promise.all([
      inTurn(task('x'), 2),
      inTurn(task('a')),
      inTurn(task('y'), 1),
      inTurn(task('b')),
      inTurn(task('c')),
    ]);
    expect(order[0]).toBe('x/1');
    expect(order.slice(1, 4).map((entry) => entry[0])).toEqual(['a', 'b', 'c']);
    expect(order.at(-1)).toBe('y/1');
  });

  it('goes on after a task that throws', async () => {
    const { inTurn } = createLimit(1);
    await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await inTurn(async () => 'next')).toBe('next');
  });
});
