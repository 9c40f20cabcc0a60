import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import type { ClaimStore } from '../../../lib/pawl/rules/store.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import {
  executionEnded,
  startAgain,
  startOnce,
  type WaitForEnd,
  waitingExecutions,
} from '../../../lib/pawl/workflows/index.ts';
import { stepFunctions } from '../../../lib/pawl/workflows/step-functions.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { endOf, type Fate, machines, type StandInExecution, startStepFunctions } from '../../support/step-functions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string };

const day = 24 * 3600 * 1000;
const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

async function setUp(end: Partial<WaitForEnd> = {}, wrap = (store: ClaimStore) => store) {
  const fates: Fate[] = [];
  const host = virtualHost();
  const sfn = await startStepFunctions({ fate: () => fates.shift(), now: host.now, client: { maxAttempts: 1 } });
  opened.push(sfn);
  const memory = memoryStore();
  const store = Object.assign(wrap(memory), { listOpen: memory.listOpen });
  const events: string[] = [];
  const waitForEnd: WaitForEnd = { afterFailed: 'park', endsWithinMs: day, ...end };
  const onEvent = ({ type, operation }: { type: string; operation: string }) =>
    void events.push(`${operation} ${type}`);
  const workflow = stepFunctions({ client: sfn.client, stateMachineArn: machines.standard, type: 'STANDARD' });
  const shared = { operation: 'settle', store, workflow, onEvent, host };
  const handler = startOnce<Order>({
    ...shared,
    aws: noQueue,
    key: ({ body }) => body.orderId,
    backoffSeconds: () => undefined,
    waitForEnd,
  });
  const ended = executionEnded({ ...shared, ...waitForEnd });
  const again = startAgain({ ...shared, ...waitForEnd });
  const sweep = sweepOpenClaims({
    store,
    operations: waitingExecutions({ ...shared, ...waitForEnd }),
    host,
    onReport: () => undefined,
  });
  const message = sqsRecord({ orderId: 'a' });
  const deliver = async () => failuresOf(await handler(sqsEvent(message), context(30_000, host.now)));
  const last = () => sfn.started.at(-1) as StandInExecution;
  const endLast = (status: Parameters<typeof endOf>[1]) => {
    sfn.end(last(), status);
    return ended(endOf(last(), status));
  };
  const waiting = async () => {
    const { claims } = await memory.listOpen({ operation: 'execution:settle', limit: 10 });
    return claims;
  };
  const record = async () => {
    const id = `execution:settle#${sfn.started[0]?.name.split('-')[0]}`;
    return memory.read(id);
  };
  return {
    sfn,
    memory,
    store,
    host,
    events,
    handler,
    ended,
    again,
    sweep,
    deliver,
    message,
    fates,
    last,
    end: endLast,
    waiting,
    record,
  };
}

describe('an execution that somebody waits for', () => {
  it('lets its message go when the start is certain, and its claim when it has ended, however often that is told', async () => {
    const { deliver, memory, waiting, record, end, ended, last, sfn, events } = await setUp();
    expect(await deliver()).toEqual([]);
    expect((await memory.read('settle#a'))?.status).toBe('completed');
    expect(await waiting()).toMatchObject([
      { status: 'in-flight', attributes: { claim: 'settle#a', target: machines.standard } },
    ]);
    expect(await end('SUCCEEDED')).toEqual({ outcome: 'completed' });
    expect(await ended(endOf(last(), 'SUCCEEDED'))).toEqual({ outcome: 'nothing' });
    expect((await record())?.status).toBe('completed');
    expect(await waiting()).toEqual([]);
    expect(await deliver()).toEqual([]);
    expect(sfn.started).toHaveLength(1);
    expect(events.filter((one) => one === 'execution:settle completed')).toHaveLength(1);
  });

  it('may have its end told before its start has an answer', async () => {
    for (const afterFailed of ['park', 'start-again'] as const) {
      for (const status of ['SUCCEEDED', 'FAILED'] as const) {
        const { sfn, deliver, fates, ended, record, last } = await setUp({ afterFailed });
        fates.push('lost-after');
        expect(await deliver()).toHaveLength(1);
        sfn.end(last(), status);
        await ended(endOf(last(), status));
        expect(await deliver()).toEqual([]);
        expect(sfn.started).toHaveLength(status === 'FAILED' && afterFailed === 'start-again' ? 2 : 1);
        const becomes = afterFailed === 'park' ? 'parked' : 'in-flight';
        expect((await record())?.status).toBe(status === 'SUCCEEDED' ? 'completed' : becomes);
      }
    }
  });

  it('is started again as often as the policy says, with the same input, and then parked', async () => {
    const { sfn, deliver, end, record, events, host } = await setUp({ afterFailed: 'start-again', maxStarts: 3 });
    await deliver();
    expect(await end('FAILED')).toEqual({ outcome: 'started-again' });
    await host.advance(1000);
    expect(await end('TIMED_OUT')).toEqual({ outcome: 'started-again' });
    await host.advance(1000);
    expect(await end('ABORTED')).toEqual({ outcome: 'parked' });
    expect(sfn.started.map(({ name, input }) => [name.split('-')[1], input])).toEqual(
      [1, 2, 3].map((n) => [String(n), '{"orderId":"a"}']),
    );
    const parked = await record();
    expect(parked?.status).toBe('parked');
    expect(parked?.error?.message).toMatch(/^ExecutionFailed: [0-9a-f]{48}-3: States\.TaskFailed: card declined/);
    expect(events.filter((one) => one === 'execution:settle released')).toHaveLength(2);
  });

  it('starts each next one once, also where an end is told twice at once, late, or without its input', async () => {
    const { sfn, deliver, ended, last, record } = await setUp({ afterFailed: 'start-again' });
    await deliver();
    const first = last();
    sfn.end(first, 'FAILED');
    await Promise.all([1, 2, 3].map(() => ended(endOf(first, 'FAILED', false))));
    expect(sfn.started).toHaveLength(2);
    const second = last();
    await ended(endOf(first, 'FAILED'));
    sfn.end(second, 'SUCCEEDED');
    await ended(endOf(second, 'SUCCEEDED'));
    await ended(endOf(first, 'FAILED'));
    expect(sfn.started).toHaveLength(2);
    expect((await record())?.status).toBe('completed');
  });

  it('is started again after the start of the next one has failed, when its end is told again', async () => {
    const { sfn, deliver, ended, last, fates, record, host } = await setUp({ afterFailed: 'start-again' });
    await deliver();
    const first = last();
    sfn.end(first, 'FAILED');
    fates.push('throttled');
    await expect(ended(endOf(first, 'FAILED'))).rejects.toThrow('Rate exceeded');
    expect(sfn.started).toHaveLength(1);
    await ended(endOf(first, 'FAILED'));
    expect(sfn.started).toHaveLength(2);
    expect((await record())?.leaseUntil).toBe(host.now() + day);
  });

  it('completes its parked claim if it succeeds after all: an operator has redriven it', async () => {
    const { deliver, end, ended, last, record } = await setUp();
    await deliver();
    await end('FAILED');
    expect((await record())?.status).toBe('parked');
    expect(await ended(endOf(last(), 'SUCCEEDED'))).toEqual({ outcome: 'completed' });
  });

  it('leaves events alone that are of no execution of the operation, or of none that has ended', async () => {
    const { deliver, ended, last, waiting } = await setUp();
    await deliver();
    const running = endOf(last(), 'SUCCEEDED');
    for (const event of [
      undefined,
      {},
      { detail: { ...running.detail, status: 'RUNNING' } },
      { detail: { ...running.detail, name: 'nightly-report' } },
      { detail: { ...running.detail, name: `${'0'.repeat(48)}-1` } },
    ]) {
      expect(await ended(event)).toEqual({ outcome: 'nothing' });
    }
    expect(await waiting()).toHaveLength(1);
  });
});

describe('the end of a child execution that has the name of its parent', () => {
  it.each(['SUCCEEDED', 'FAILED'] as const)('%s changes nothing: the parent goes on', async (status) => {
    const { sfn, deliver, ended, last, record, end } = await setUp({ afterFailed: 'start-again' });
    await deliver();
    const { detail } = endOf(last(), status);
    const child = { detail: { ...detail, stateMachineArn: `${machines.standard}-child` } };
    expect(await ended(child)).toEqual({ outcome: 'nothing' });
    expect(sfn.started).toHaveLength(1);
    expect((await record())?.status).toBe('in-flight');
    expect(await end('SUCCEEDED')).toEqual({ outcome: 'completed' });
  });
});

describe('startAgain', () => {
  it('starts what an operator has released, once, and nothing else', async () => {
    const { sfn, deliver, end, record, store, host, again } = await setUp();
    await deliver();
    const id = (await record())?.id ?? '';
    expect(await again(id)).toEqual({ outcome: 'nothing' });
    await end('FAILED');
    expect(await again(id)).toEqual({ outcome: 'nothing' });
    await operator({ store, host, onEvent: () => undefined }).resolve({ id }, 'retry', {
      by: 'maria',
      note: 'the bank is back',
    });
    expect(await Promise.all([again(id), again(id)])).toContainEqual({ outcome: 'started-again' });
    expect(sfn.started).toHaveLength(2);
    expect(await end('SUCCEEDED')).toEqual({ outcome: 'completed' });
  });
});

describe('the sweep of executions', () => {
  it('leaves alone what has time, and parks what has not ended in time', async () => {
    const { deliver, sweep, host, record, waiting } = await setUp();
    await deliver();
    expect(await sweep()).toMatchObject({ held: 1, parked: 0 });
    await host.advance(day + 2000);
    expect(await sweep()).toMatchObject({ parked: 1 });
    expect((await record())?.error?.message).toMatch(/^ExecutionNotEnded: /);
    expect(await sweep()).toMatchObject({ alreadyParked: 1 });
    const [claim] = await waiting();
    expect(claim?.status).toBe('parked');
  });

  it.each(['SUCCEEDED', 'FAILED'] as const)('finds an end that was never told: %s', async (status) => {
    const { sfn, deliver, sweep, host, record, last } = await setUp({ afterFailed: 'start-again' });
    await deliver();
    sfn.end(last(), status);
    await host.advance(day + 2000);
    await sweep();
    expect(sfn.started).toHaveLength(status === 'FAILED' ? 2 : 1);
    expect((await record())?.status).toBe(status === 'FAILED' ? 'in-flight' : 'completed');
  });

  it('finds an execution whose worker died before it could say that it is started', async () => {
    let writes = 0;
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const { sfn, sweep, host, record, handler, message } = await setUp({}, (store) => ({
      read: (id) => store.read(id),
      // The worker dies before it says so.
      write(one) {
        if (one.next.id.startsWith('execution:') && ++writes === 2) isDead = true;
        return isDead ? never : store.write(one);
      },
    }));
    void handler(sqsEvent(message), context(30_000, host.now));
    while (!isDead) await host.advance(10);
    await host.advance(62_000);
    isDead = false;
    const startedAt = sfn.started[0]?.startDate ?? 0;
    await sweep();
    expect(await record()).toMatchObject({ status: 'in-flight', leaseUntil: startedAt + day });
  });

  it('leaves an execution that was never started to its message, and parks its claim when that does not come', async () => {
    const { sfn, sweep, host, waiting, deliver, fates } = await setUp();
    fates.push('lost-before');
    await deliver();
    expect(sfn.started).toHaveLength(0);
    await host.advance(62_000);
    expect(await sweep()).toMatchObject({ inconclusive: 1 });
    expect(await deliver()).toEqual([]);
    expect(sfn.started).toHaveLength(1);
    expect(await waiting()).toHaveLength(1);
  });

  it('parks the claim of an execution whose message never came again, which an operator can release for its message', async () => {
    const { sfn, sweep, host, waiting, deliver, fates, store } = await setUp({}, undefined);
    fates.push('lost-before');
    await deliver();
    await host.advance(62_000);
    for (let at = 0; at < day; at += 20 * 60_000) {
      await sweep();
      await host.advance(20 * 60_000);
    }
    await sweep();
    const [claim] = await waiting();
    expect(claim?.status).toBe('parked');
    expect(await deliver()).toHaveLength(1);
    expect(sfn.started).toHaveLength(0);
    const operate = operator({ store, host, onEvent: () => undefined });
    const by = { by: 'maria', note: 'it never began' };
    await operate.resolve({ id: claim?.id ?? '' }, 'not-applied', by);
    await operate.resolve({ operation: 'settle', key: 'a' }, 'not-applied', by);
    expect(await deliver()).toEqual([]);
    expect(sfn.started).toHaveLength(1);
  });

  it('starts the next execution that its worker has not come to start', async () => {
    const { sfn, deliver, ended, last, fates, sweep, host } = await setUp({ afterFailed: 'start-again' });
    await deliver();
    sfn.end(last(), 'FAILED');
    fates.push('lost-before');
    await expect(ended(endOf(last(), 'FAILED'))).rejects.toThrow();
    await host.advance(62_000);
    expect(await sweep()).toMatchObject({ notApplied: 1 });
    expect(sfn.started).toHaveLength(2);
  });

  it('parks what its target has forgotten', async () => {
    const { sfn, deliver, last, sweep, host, record } = await setUp({ afterFailed: 'start-again' });
    await deliver();
    sfn.end(last(), 'FAILED');
    await host.advance(92 * day);
    await sweep();
    expect((await record())?.error?.message).toMatch(/^ExecutionUnknown: /);
    expect(sfn.started).toHaveLength(1);
  });
});
