import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Circumstances, createLambda, type LambdaLocal } from '../../../../lib/rehearsal/engine/lambda/lambda.ts';
import { startSandbox } from '../../../../lib/rehearsal/engine/lambda/sandbox.ts';
import { createMachine, type Machine } from '../../../../lib/rehearsal/engine/machine.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { startEventSource } from '../../../../lib/rehearsal/services/sqs/event-source.ts';
import { eventually } from '../../../support/eventually.ts';

/** A timeout is judged by the time that the machine gave, and so is a visibility timeout. */

const handler = `
export const handler = async ({ ms, do: what }, context) => {
  const before = context.getRemainingTimeInMillis();
  if (what === 'speak') console.log('at work');
  if (what === 'exit') process.exit(1);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { before, after: context.getRemainingTimeInMillis() };
};
`;

let folder = '';
let lambda: LambdaLocal;
let ends: Circumstances[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-time-'));
  await writeFile(join(folder, 'index.mjs'), handler);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => lambda.stop());

/** A machine on which each process stands ready, and does not run, for a share of the time. */
function machineThatTakes(share: number): Machine {
  return createMachine({ waitedMs: (pid) => (pid === undefined ? 0 : share * performance.now()) });
}

function create(machine: Machine, timeoutMs = 1_000) {
  ends = [];
  lambda = createLambda({ machine, watch: { onEnd: (_, __, circumstances) => void ends.push(circumstances) } });
  const environment = {};
  return lambda.createFunction({
    ...{ name: 'f', folder, handler: 'index.handler', environment, timeoutMs, maxSandboxes: 1 },
  });
}

describe('a function', () => {
  test('does not time out before it has had its time, and learns that it has more', async () => {
    const fn = create(machineThatTakes(0.8));
    const outcome = await fn.invoke({ ms: 1_600 });
    expect(outcome).toMatchObject({ kind: 'response', value: { after: expect.any(Number) } });
    const { after } = (outcome as { value: { after: number } }).value;
    expect(after).toBeGreaterThan(0);
    expect(ends).toMatchObject([{ machine: 'stretched', killed: false }]);
  });

  test('that ends in time, with a good part less of it, is said to be slowed', async () => {
    const fn = create(machineThatTakes(0.5), 4_000);
    expect(await fn.invoke({ ms: 1_500 })).toMatchObject({ kind: 'response' });
    expect(ends).toMatchObject([{ machine: 'slowed' }]);
  });

  test('that waits uses its time up', async () => {
    const fn = create(machineThatTakes(0), 300);
    expect(await fn.invoke({ ms: 20_000 })).toEqual({ kind: 'timed-out' });
    expect(ends).toMatchObject([{ machine: 'gave', loaded: true }]);
  });

  test('that is given almost nothing ends all the same, and is said to be starved', async () => {
    const fn = create(machineThatTakes(1), 300);
    expect(await fn.invoke({ ms: 60_000 })).toEqual({ kind: 'timed-out' });
    expect(ends).toMatchObject([{ machine: 'starved' }]);
  });

  test('that was killed is told from one that ends itself, and one that was at work from one that was not', async () => {
    const fn = create(machineThatTakes(0), 20_000);
    await fn.invoke({ ms: 0 });
    const killed = fn.invoke({ ms: 20_000 });
    await eventually('an invocation', () => expect(lambda.stats.busy).toBe(1));
    lambda.kill('SANDBOX0001');
    expect(await killed).toEqual({ kind: 'crashed' });
    expect(await fn.invoke({ do: 'exit' })).toEqual({ kind: 'crashed' });
    const told = ends.slice(1).map((one) => [one.killed, one.loaded, one.spoke]);
    expect(told).toEqual([
      [true, true, false],
      [false, true, false],
    ]);
  });
});

describe('a sandbox', () => {
  const HANGS = 'await new Promise((resolve) => setTimeout(resolve, 600_000)); export const handler = () => 1;';

  test.each([
    [1, 'starved'],
    [0, 'gave'],
  ] as const)(
    'that is not loaded in time, on a machine that takes %d of it, is said to be %s',
    async (share, machine) => {
      lambda = createLambda();
      await writeFile(join(folder, 'hangs.mjs'), HANGS);
      const measure = machineThatTakes(share).measure();
      const sandbox = startSandbox({
        ...{ id: 'S', timeoutMs: 1_000, initMs: 200, measure, onLog: () => undefined, onEnded: () => undefined },
        environment: { _HANDLER: 'hangs.handler', LAMBDA_TASK_ROOT: folder },
      });
      const { outcome, circumstances } = await sandbox.invoke({}, measure);
      measure.end();
      expect(outcome).toEqual({ kind: 'crashed' });
      expect(circumstances).toMatchObject({ loaded: false, killed: false, machine });
    },
  );

  test('that the plan has stopped beyond its time is late for that, whatever the machine took away', async () => {
    const fn = create(machineThatTakes(1), 1_000);
    const outcome = fn.invoke({ ms: 60_000 });
    await eventually('a sandbox to stop', () => expect(lambda.stall('SANDBOX0001', 60_000)).toBe(true));
    expect(await outcome).toEqual({ kind: 'timed-out' });
    expect(ends).toMatchObject([{ machine: 'gave' }]);
  });
});

const patienceOf = (machine: Machine, sqs: SqsLocal) => ({
  machine,
  timeoutMs: 1_000,
  extend: (receipts: readonly string[], ms: number) => sqs.extend('q', receipts, ms),
  giveBack: (ids: readonly string[]) => sqs.giveBack('q', ids),
});

describe('a message', () => {
  test.each([
    ['and a few that it could not use for want of time', 0.9, 7],
    ['where the machine gave its function its time', 0, 2],
  ])('that fails each time has the receives that its queue allows, %s', async (_, share, receives) => {
    const taken = createMachine({ waitedMs: () => share * performance.now() });
    const sqs = await startSqsLocal({ beforeExpiry: taken.sample });
    onTestFinished(() => sqs.stop());
    const { arn: deadLetterTargetArn } = await sqs.createQueue('dead');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 });
    const queue = await sqs.createQueue('q', { VisibilityTimeout: '0', RedrivePolicy });
    const source = startEventSource({
      ...{ client: sqs.client, queue, batchSize: 1, windowMs: 0, reportsBatchItemFailures: true, concurrency: 1 },
      patience: patienceOf(taken, sqs),
      async invoke() {
        await sleep(share * 300);
        return { kind: 'crashed' };
      },
    });
    onTestFinished(() => source.stop());
    await sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'fails' }));
    await eventually('a dead letter', async () => expect(await sqs.depth('dead')).toMatchObject({ ready: 1 }));
    expect(source.stats.deliveries).toBe(receives);
  });

  const handledFor = async (ms: number, share: number) => {
    const taken = createMachine({ waitedMs: () => share * performance.now() });
    const sqs = await startSqsLocal({ beforeExpiry: taken.sample });
    onTestFinished(() => sqs.stop());
    const queue = await sqs.createQueue('q', { VisibilityTimeout: '1' });
    const source = startEventSource({
      ...{ client: sqs.client, queue, batchSize: 1, windowMs: 0, reportsBatchItemFailures: true, concurrency: 2 },
      patience: patienceOf(taken, sqs),
      async invoke() {
        // The first one only: a worker that is always too slow never deletes its message.
        if (source.stats.deliveries === 1) await sleep(ms);
        return { kind: 'response', value: null };
      },
    });
    onTestFinished(() => source.stop());
    await sqs.client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'a' }));
    await eventually('an empty queue', async () =>
      expect(await sqs.depth('q')).toEqual({ ready: 0, delayed: 0, inFlight: 0 }),
    );
    return source.stats.deliveries;
  };

  test('is not delivered again while the machine keeps its worker waiting', async () => {
    expect(await handledFor(2_500, 0.9)).toBe(1);
  });

  test('is delivered again if its worker takes longer than its visibility timeout', async () => {
    expect(await handledFor(1_800, 0)).toBeGreaterThan(1);
  });
});
