import { afterEach, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { durableFunctions } from '../../../lib/pawl/workflows/durable-functions.ts';
import { executionEnded, startAgain, startOnce } from '../../../lib/pawl/workflows/index.ts';
import { collect } from '../../support/collect.ts';
import {
  type DurableExecution,
  durable,
  durableEvent,
  startDurableFunctions,
} from '../../support/durable-functions.ts';
import { context, noQueue, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { record } from '../../support/records.ts';
import { machines } from '../../support/step-functions.ts';
import { virtualHost } from '../../support/virtual-host.ts';

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

/** An operator, and so many claims that wait for the ends of durable executions. */
async function waitingFor(count: number) {
  const host = virtualHost();
  const lambda = await startDurableFunctions({ now: host.now, client: { maxAttempts: 1 } });
  opened.push(lambda);
  const store = memoryStore();
  const workflow = durableFunctions({ client: lambda.client, functionArn: durable.alias });
  const shared = { operation: 'settle', store, workflow, onEvent: () => undefined, host };
  const waitForEnd = { afterFailed: 'park', endsWithinMs: 24 * 3_600_000 } as const;
  const handler = startOnce<number>({ ...shared, aws: noQueue, key: ({ body }) => String(body), waitForEnd });
  const records = Array.from({ length: count }, (_, index) => sqsRecord(index));
  await handler(sqsEvent(...records), context(30_000, host.now));
  const operate = operator({ store, host, onEvent: () => undefined });
  const claims = (await collect(operate.openClaims({ state: 'waiting' }))).flatMap((page) => page.claims);
  const executionFor = (id: string) =>
    lambda.started.find(({ name }) => id.endsWith(name.split('-')[0] ?? '')) as DurableExecution;
  const ended = executionEnded({ ...shared, ...waitForEnd });
  const again = startAgain({ ...shared, ...waitForEnd });
  return { host, store, operate, claims, executionFor, ended, again, lambda };
}

const acted = { by: 'maria', note: 'the ledger of the bank' };

it('shows a claim as waiting, with its execution and where AWS shows that', async () => {
  const { operate, claims, executionFor } = await waitingFor(1);
  const [claim] = claims;
  const { arn: execution } = executionFor(claim?.id ?? '');
  const consoleUrl = 'https://eu-west-1.console.aws.amazon.com/lambda/home?region=eu-west-1#/functions/settle';
  expect(claim).toMatchObject({ state: 'waiting', execution: { execution, consoleUrl } });
  expect(await operate.readClaim({ id: claim?.id ?? '' })).toMatchObject({
    state: 'waiting',
    execution: { execution, consoleUrl },
  });
});

it.each([
  [
    'arn:aws:states:eu-west-1:123456789012:execution:settle:4f-1',
    'https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1#/v2/executions/details/arn%3Aaws%3Astates%3Aeu-west-1%3A123456789012%3Aexecution%3Asettle%3A4f-1',
  ],
  [
    'arn:aws-cn:lambda:cn-north-1:123456789012:function:settle:7/durable-execution/4f-1/0e',
    'https://cn-north-1.console.amazonaws.cn/lambda/home?region=cn-north-1#/functions/settle',
  ],
  ['arn:aws-iso:states:us-iso-east-1:123456789012:execution:settle:4f-1', undefined],
  ['run-17', undefined],
  ['javascript:alert(1)', undefined],
  [machines.standard, undefined],
])('links %s', async (execution, consoleUrl) => {
  const store = memoryStore();
  const next = record({ id: 'execution:settle#4f', open: '00', attributes: { execution } });
  await store.write({ next, seen: undefined });
  expect((await operator({ store }).readClaim({ id: next.id }))?.execution).toEqual({ execution, consoleUrl });
});

it('settles one whose execution will never end, before its lease is over; what is told later changes nothing', async () => {
  const { operate, store, claims, executionFor, ended } = await waitingFor(1);
  const id = claims[0]?.id ?? '';
  expect(await operate.resolve({ id }, 'applied', acted)).toMatchObject({ outcome: 'resolved' });
  expect(await store.read(id)).toMatchObject({ status: 'completed', resolution: { by: 'maria' } });
  expect(await ended(durableEvent(executionFor(id), 'FAILED'))).toEqual({ outcome: 'nothing' });
  expect(await store.read(id)).toMatchObject({ status: 'completed' });
});

it('lets the next execution start, under the next name, when an operator says that it did not apply', async () => {
  const { operate, claims, lambda, again } = await waitingFor(1);
  const id = claims[0]?.id ?? '';
  await operate.resolve({ id }, 'not-applied', acted);
  expect(await again(id)).toEqual({ outcome: 'started-again' });
  expect(lambda.started.map(({ name }) => name.split('-')[1])).toEqual(['1', '2']);
});

it('settles 20 executions that never ended, and leaves those alone that a filter only happens to find', async () => {
  const { operate, claims, lambda } = await waitingFor(20);
  const wanted = { verdict: 'applied', ...acted } as const;
  const found = await operate.planResolutions({ claims, ...wanted });
  expect(found.items.map((item) => item.will)).toEqual(Array(20).fill('stay'));
  const plan = await operate.planResolutions({
    claims: claims.map((claim) => ({ ...claim, evenIfWaiting: true })),
    ...wanted,
  });
  expect(plan.count).toBe(20);
  const results = await collect(operate.resolveAll(plan));
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(20).fill('resolved'));
  expect((await collect(operate.openClaims({}))).flatMap((page) => page.claims)).toEqual([]);
  expect(lambda.started).toHaveLength(20);
});

it('leaves a claim alone whose start is not known to be certain: a worker is at it', async () => {
  const host = virtualHost();
  const store = memoryStore();
  const next = record({ id: 'execution:settle#4f', open: '00', leaseUntil: host.now() + 60_000 });
  await store.write({ next, seen: undefined });
  const operate = operator({ store, host, onEvent: () => undefined });
  expect(await operate.resolve({ id: next.id }, 'applied', acted)).toMatchObject({ outcome: 'in-flight' });
});
