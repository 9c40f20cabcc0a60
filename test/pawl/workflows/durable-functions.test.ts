import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sweepOpenClaims } from '../../../lib/pawl/sweep/index.ts';
import { durableFunctions } from '../../../lib/pawl/workflows/durable-functions.ts';
import { executionEnded, startOnce, type WaitForEnd, waitingExecutions } from '../../../lib/pawl/workflows/index.ts';
import {
  type DurableExecution,
  durable,
  durableEvent,
  startDurableFunctions,
} from '../../support/durable-functions.ts';
import { context, failuresOf, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import type { Fate } from '../../support/step-functions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { orderId: string; cents?: number };

const day = 24 * 3600 * 1000;
const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

interface Setting {
  readonly functionArn?: string;
  readonly waitForEnd?: WaitForEnd;
  readonly input?: (message: { readonly body: Order }) => unknown;
  readonly retentionDays?: number;
  readonly retryWindowSeconds?: number;
}

async function setUp({ functionArn = durable.alias, waitForEnd, input, retentionDays = 14, ...more }: Setting = {}) {
  const fates: Fate[] = [];
  const beforeGet: (() => void)[] = [];
  const host = virtualHost();
  const lambda = await startDurableFunctions({
    fate: (operation) => {
      if (operation === 'GetDurableExecution') beforeGet.shift()?.();
      return fates.shift();
    },
    now: host.now,
    retentionDays,
    client: { maxAttempts: 1 },
  });
  opened.push(lambda);
  const store = memoryStore();
  const workflow = durableFunctions({ client: lambda.client, functionArn });
  const shared = { operation: 'settle', store, workflow, onEvent: () => undefined, host };
  const handler = startOnce<Order>({
    ...shared,
    aws: noQueue,
    key: ({ body }) => body.orderId,
    backoffSeconds: () => undefined,
    ...more,
    ...(waitForEnd && { waitForEnd }),
    ...(input && { input }),
  });
  const deliver = async (...records: ReturnType<typeof sqsRecord>[]) =>
    failuresOf(await handler(sqsEvent(...records), context(30_000, host.now)));
  const last = () => lambda.started.at(-1) as DurableExecution;
  return { lambda, host, store, workflow, shared, deliver, fates, beforeGet, last };
}

describe('startOnce, over a durable function', () => {
  it('starts one execution for a key, whatever copies of its message come', async () => {
    const { lambda, deliver } = await setUp();
    const [a, b, again] = [{ orderId: 'a' }, { orderId: 'b' }, { orderId: 'a' }].map((body) => sqsRecord(body));
    if (!a || !b || !again) throw new Error('three messages');
    expect(await deliver(a, b, again)).toEqual([]);
    expect(await deliver(sqsRecord({ orderId: 'a' }))).toEqual([]);
    expect(lambda.started.map(({ input }) => input).sort()).toEqual(['{"orderId":"a"}', '{"orderId":"b"}']);
    for (const { name } of lambda.started) expect(name).toMatch(/^[0-9a-f]{48}-1$/);
  });

  it.each<Fate>(['lost-after', 'lost-before', 'throttled'])('starts one where the answer is %s', async (fate) => {
    const { lambda, deliver, fates, store, last } = await setUp();
    fates.push(fate);
    const message = sqsRecord({ orderId: 'a' });
    expect(await deliver(message)).toEqual([message.messageId]);
    if (fate === 'lost-after') lambda.end(last(), 'SUCCEEDED');
    expect(await deliver(message)).toEqual([]);
    expect(lambda.started).toHaveLength(1);
    expect(await store.read('settle#a')).toMatchObject({ status: 'completed' });
  });

  it('recognises its execution where the fields of a copy have another order', async () => {
    const { lambda, deliver, fates } = await setUp();
    fates.push('lost-after');
    await deliver(sqsRecord({ orderId: 'a', cents: 1 }));
    expect(await deliver(sqsRecord({ cents: 1, orderId: 'a' }))).toEqual([]);
    expect(lambda.calls).toEqual(['Invoke', 'Invoke', 'ListDurableExecutionsByFunction', 'GetDurableExecution']);
    expect(lambda.started).toHaveLength(1);
  });

  it('parks a start whose name has another input, if an earlier attempt may have started it', async () => {
    let attempt = 0;
    const { lambda, deliver, fates, store } = await setUp({ input: () => ({ attempt: ++attempt }) });
    fates.push('lost-after');
    const message = sqsRecord({ orderId: 'a' });
    await deliver(message);
    expect(await deliver(message)).toEqual([message.messageId]);
    const record = await store.read('settle#a');
    expect(record?.status).toBe('parked');
    expect(record?.error?.message).toContain('docs/errors.md#other-input');
    expect(lambda.started).toHaveLength(1);
  });

  it('rejects an input that Lambda would refuse at each attempt, and leaves what it may take later', async () => {
    const { deliver, store, lambda } = await setUp({ input: ({ body }) => body.orderId.repeat(1_100_000) });
    const long = sqsRecord({ orderId: 'a' });
    expect(await deliver(long)).toEqual([long.messageId]);
    expect(await store.read('settle#a')).toMatchObject({ status: 'rejected' });
    const elsewhere = await setUp({ functionArn: durable.alias.replace('settle', 'other') });
    await elsewhere.deliver(sqsRecord({ orderId: 'b' }));
    expect(await elsewhere.store.read('settle#b')).toMatchObject({ status: 'released' });
    expect(lambda.started).toHaveLength(0);
  });

  it('starts nothing without an ARN, and says so', async () => {
    const { deliver, store } = await setUp({ functionArn: '' });
    await deliver(sqsRecord({ orderId: 'a' }));
    const record = await store.read('settle#a');
    expect(record).toMatchObject({ status: 'released' });
    expect(record?.error?.message).toContain('functionArn: expected the ARN of a version or an alias');
  });

  it('parks a start in doubt that is older than the retention of executions', async () => {
    const { lambda, deliver, fates, host, store, last } = await setUp({ retryWindowSeconds: 366 * 24 * 3600 });
    fates.push('lost-after');
    const message = sqsRecord({ orderId: 'a' });
    await deliver(message);
    lambda.end(last(), 'SUCCEEDED');
    await host.advance(15 * day);
    expect(await deliver(message)).toEqual([message.messageId]);
    expect(lambda.started).toHaveLength(1);
    const record = await store.read('settle#a');
    expect(record).toMatchObject({ status: 'parked' });
    expect(record?.error?.message).toContain('docs/errors.md#name-forgotten');
  });

  it.each([
    'arn:aws:lambda:eu-west-1:123456789012:function:settle',
    'arn:aws:lambda:eu-west-1:123456789012:layer:settle:1',
    'settle:live',
  ])('refuses %s, of which Lambda starts no durable execution', (functionArn) => {
    expect(() =>
      durableFunctions({ client: { send: () => Promise.reject(new Error('no request')) }, functionArn }),
    ).toThrow('functionArn: expected the ARN of a version or an alias of a function');
  });
});

describe('a look at a durable execution', () => {
  const call = { signal: new AbortController().signal };

  it('finds the one of the name, behind others that only begin alike', async () => {
    const { workflow, lambda } = await setUp();
    for (const name of ['run-1', 'run-10', 'run-12']) await workflow.start(name, `"${name}"`, call);
    const found = await workflow.describe('run-1', call);
    expect(found).toMatchObject({ execution: lambda.started[0]?.arn, status: 'running', input: '"run-1"' });
    expect(await workflow.describe('run-2', call)).toBeUndefined();
  });

  it.each([
    ['SUCCEEDED', 'succeeded', undefined],
    ['FAILED', 'failed', { name: 'CardDeclined', message: 'card declined' }],
    ['TIMED_OUT', 'failed', { name: 'CardDeclined', message: 'card declined' }],
    ['STOPPED', 'failed', { name: 'CardDeclined', message: 'card declined' }],
  ] as const)('knows %s as %s', async (status, means, error) => {
    const { workflow, lambda, last } = await setUp();
    await workflow.start('run-1', '{}', call);
    lambda.end(last(), status);
    expect(await workflow.describe('run-1', call)).toMatchObject({ status: means, error });
  });

  it('finds none that is kept no longer', async () => {
    const { workflow, lambda, last, host } = await setUp();
    await workflow.start('run-1', '{}', call);
    lambda.end(last(), 'SUCCEEDED');
    await host.advance(14 * day);
    expect(await workflow.describe('run-1', call)).toBeUndefined();
  });

  it('finds none that was deleted after it was listed', async () => {
    const { workflow, lambda, last, beforeGet } = await setUp();
    await workflow.start('run-1', '{}', call);
    lambda.end(last(), 'SUCCEEDED');
    beforeGet.push(() => {
      last().endedAt = 0;
    });
    expect(await workflow.describe('run-1', call)).toBeUndefined();
    expect(lambda.calls).toContain('GetDurableExecution');
  });

  it('warns of a retention that is shorter than what its author has said', async () => {
    const { workflow } = await setUp({ retentionDays: 1 });
    await workflow.start('run-1', '{}', call);
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    await workflow.describe('run-1', call);
    expect(String(warned.mock.calls)).toContain('keeps its executions for 86400 seconds');
    warned.mockRestore();
  });

  it('warns of a function that is not durable: nothing there recognises a name', async () => {
    const { workflow } = await setUp({ functionArn: durable.ordinary });
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    await workflow.start('run-1', '{}', call);
    expect(String(warned.mock.calls)).toContain('has no durable configuration');
    warned.mockRestore();
  });
});

describe('the end of a durable execution', () => {
  async function setUpEnds(end: WaitForEnd) {
    const all = await setUp({ waitForEnd: end });
    const { shared, store, host, lambda } = all;
    const ended = executionEnded({ ...shared, ...end });
    const sweep = sweepOpenClaims({
      store,
      operations: waitingExecutions({ ...shared, ...end }),
      host,
      onReport: () => undefined,
    });
    const record = () => store.read(`execution:settle#${lambda.started[0]?.name.split('-')[0]}`);
    return { ...all, ended, sweep, record };
  }

  it('is told by the event that Lambda documents; that it runs tells nothing', async () => {
    const { deliver, ended, record, last } = await setUpEnds({ afterFailed: 'park', endsWithinMs: day });
    await deliver(sqsRecord({ orderId: 'a' }));
    expect(await ended(durableEvent(last(), 'RUNNING'))).toEqual({ outcome: 'nothing' });
    expect(await ended(durableEvent(last(), 'SUCCEEDED'))).toEqual({ outcome: 'completed' });
    expect(await ended(durableEvent(last(), 'SUCCEEDED'))).toEqual({ outcome: 'nothing' });
    expect(await record()).toMatchObject({ status: 'completed' });
  });

  it('starts the next one with the input of the one that failed, which the event does not tell', async () => {
    const { deliver, ended, last, lambda } = await setUpEnds({ afterFailed: 'start-again', endsWithinMs: day });
    await deliver(sqsRecord({ orderId: 'a' }));
    lambda.end(last(), 'TIMED_OUT');
    expect(await ended(durableEvent(last(), 'TIMED_OUT'))).toEqual({ outcome: 'started-again' });
    expect(lambda.started.map(({ name, input }) => [name.split('-')[1], input])).toEqual([
      ['1', '{"orderId":"a"}'],
      ['2', '{"orderId":"a"}'],
    ]);
  });

  it('is found by the sweep where it is never told', async () => {
    const { deliver, sweep, record, last, lambda, host } = await setUpEnds({ afterFailed: 'park', endsWithinMs: day });
    await deliver(sqsRecord({ orderId: 'a' }));
    lambda.end(last(), 'STOPPED');
    await host.advance(day + 60_000);
    await sweep();
    expect(await record()).toMatchObject({ status: 'parked' });
    expect((await record())?.error?.message).toContain('CardDeclined: card declined');
  });

  it('is looked for before Lambda can have forgotten it, also of an execution that may take longer', async () => {
    const { deliver, sweep, record, last, lambda, host } = await setUpEnds({
      afterFailed: 'park',
      endsWithinMs: 60 * day,
    });
    await deliver(sqsRecord({ orderId: 'a' }));
    await host.advance(8 * day);
    // Nothing is in doubt, and no alarm goes off: it runs.
    expect(await sweep()).toMatchObject({ held: 1, inconclusive: 0, oldestInDoubtMs: 0, oldestOpenMs: 0 });
    expect(await record()).toMatchObject({ status: 'in-flight' });
    lambda.end(last(), 'SUCCEEDED');
    await host.advance(8 * day);
    await sweep();
    expect(await record()).toMatchObject({ status: 'completed' });
  });

  it('is waited for by a claim whose start had no answer, once a look has found the execution', async () => {
    const { deliver, sweep, record, last, fates, host } = await setUpEnds({ afterFailed: 'park', endsWithinMs: day });
    fates.push('lost-after');
    await deliver(sqsRecord({ orderId: 'a' }));
    await host.advance(120_000);
    await sweep();
    expect((await record())?.attributes).toMatchObject({ execution: last().arn });
  });

  it('shows the execution that its claim waits for, and of a next one that one', async () => {
    const { deliver, ended, record, last, fates } = await setUpEnds({ afterFailed: 'start-again', endsWithinMs: day });
    await deliver(sqsRecord({ orderId: 'a' }));
    expect((await record())?.attributes).toMatchObject({ claim: 'settle#a', execution: last().arn });
    // The look at the input, and then the start of the next one, whose answer is lost.
    fates.push(undefined, undefined, 'lost-before');
    await expect(ended(durableEvent(last(), 'FAILED'))).rejects.toThrow();
    expect((await record())?.attributes).toEqual({ claim: 'settle#a', target: durable.unqualified });
    await ended(durableEvent(last(), 'FAILED'));
    expect((await record())?.attributes).toMatchObject({ execution: last().arn });
  });
});
