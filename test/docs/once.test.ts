import type { Context, DynamoDBBatchResponse, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { FingerprintError, memoryStore, once, RejectedError, RetryableError, reconcile } from '../../lib/pawl/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../support/lambda.ts';
import { resolverOf } from '../support/resolver-of.ts';
import { exampleOf } from './run-example.ts';

/** The recipes of docs/guides/once.md, as they are printed, with what a redelivery makes of each of their errors. */

const guide = 'docs/guides/once.md';
const said = { log: () => undefined, error: () => undefined };

/** `once` of the recipes, without lines about what is meant to fail. */
const quiet = ((options: object, fn: never) =>
  once({ ...options, onEvent: () => undefined } as never, fn)) as typeof once;

/** An effect that counts, and fails at an order as it is told. */
function effects(failsAt: Readonly<Record<string, Error>> = {}) {
  const times: Record<string, number> = {};
  const failing: Record<string, Error | undefined> = { ...failsAt };
  const apply = async (id: string) => {
    times[id] = (times[id] ?? 0) + 1;
    const error = failing[id];
    failing[id] = undefined;
    if (error !== undefined) throw error;
    return { messageId: `mail-${id}`, id: `payment-${id}` };
  };
  return { times, apply };
}

test('a call returns the result, and its outcome', async () => {
  const lines: unknown[][] = [];
  const { apply, times } = effects();
  const run = await exampleOf(guide, 'await notify.outcome(order)');
  const given = { store: memoryStore(), order: { id: '7' }, mailer: { send: ({ id }: { id: string }) => apply(id) } };
  await run({ ...given, console: { log: (...words: unknown[]) => lines.push(words) } });
  expect(lines).toEqual([['mail-7', 'completed']]);
  expect(times).toEqual({ 7: 1 });
});

test('of a stream, what failed and those behind it come again; what is parked or refused for good does not hold up the others', async () => {
  const store = memoryStore();
  const { apply, times } = effects({ b: new Error('reset'), c: new RejectedError('the customer has gone') });
  const run = await exampleOf(guide, 'DynamoDBStreamEvent');
  const { handler } = (await run({
    once: quiet,
    dynamoStore: () => store,
    issueVoucher: apply,
    process: { env: {} },
    console: said,
  })) as { handler: (event: object, lambda: Context) => Promise<DynamoDBBatchResponse> };
  const Records = ['a', 'b', 'c', 'd'].map((id) => ({
    dynamodb: { Keys: { customerId: { S: id } }, SequenceNumber: id },
  }));

  expect(failuresOf(await handler({ Records }, context() as Context))).toEqual(['b']);
  expect(times).toEqual({ a: 1, b: 1 });
  // The stream begins again with the one that failed: it is parked by now.
  const behind = { Records: Records.slice(1) };
  expect(failuresOf(await handler(behind, context() as Context))).toEqual([]);
  expect(times).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  // An operator found it applied: nothing of it runs, and nothing holds the stream up.
  await resolverOf({ operation: 'issue-voucher', store }).resolve('b', 'applied', { by: 'maria', note: 'seen' });
  expect(failuresOf(await handler({ Records }, context() as Context))).toEqual([]);
  expect(times).toEqual({ a: 1, b: 1, c: 1, d: 1 });
});

test('of a stream, a record that another worker has at work comes again', async () => {
  const store = memoryStore();
  const { apply, times } = effects();
  const run = await exampleOf(guide, 'DynamoDBStreamEvent');
  let release = () => {};
  const { handler } = (await run({
    once: quiet,
    dynamoStore: () => store,
    issueVoucher: (id: string) => new Promise<void>((resolve) => (release = resolve)).then(() => apply(id)),
    process: { env: {} },
    console: said,
  })) as { handler: (event: object, lambda: Context) => Promise<DynamoDBBatchResponse> };
  const event = { Records: [{ dynamodb: { Keys: { customerId: { S: 'a' } }, SequenceNumber: 'a' } }] };
  const first = handler(event, context() as Context);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(failuresOf(await handler(event, context() as Context))).toEqual(['a']);
  release();
  expect(failuresOf(await first)).toEqual([]);
  expect(times).toEqual({ a: 1 });
});

type StreamHandler = (event: object, lambda: Context) => Promise<DynamoDBBatchResponse>;

/** The recipe for streams, with a stream before it: the record that failed comes again, with those behind it. */
async function stream(ids: readonly string[], names: Record<string, unknown>) {
  const run = await exampleOf(guide, 'DynamoDBStreamEvent');
  const store = memoryStore();
  const all = { once: quiet, dynamoStore: () => store, process: { env: {} }, console: said, ...names };
  const { handler } = (await run(all)) as { handler: StreamHandler };
  let waiting = ids.map((id) => ({ dynamodb: { Keys: { customerId: { S: id } }, SequenceNumber: id } }));
  return {
    /** @returns the records that wait afterwards */
    async deliver(times: number): Promise<string> {
      for (let time = 0; time < times; time++) {
        const [failed] = failuresOf(await handler({ Records: waiting }, context() as Context));
        const at = waiting.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failed);
        waiting = at < 0 ? [] : waiting.slice(at);
      }
      return waiting.map(({ dynamodb }) => dynamodb.SequenceNumber).join('');
    },
    statuses: () => store.records().map(({ status }) => status),
  };
}

/** A provider that is out of order until it is repaired. */
function outage(error: unknown) {
  const issued: string[] = [];
  let isDown = true;
  const issueVoucher = async (id: string) => {
    if (isDown) throw error;
    issued.push(id);
  };
  return { issued, issueVoucher, repair: () => (isDown = false) };
}

const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:443'), { code: 'ECONNREFUSED' });

test.each([
  ['that refuses connections', refused],
  ['that fetch does not reach', new TypeError('fetch failed', { cause: refused })],
  ['that has no address', new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })],
  ['that asks to slow down', new RetryableError('429')],
])('of a stream, every record outlasts an outage of a provider %s', async (_, error) => {
  const { issued, issueVoucher, repair } = outage(error);
  const { deliver, statuses } = await stream(['a', 'b', 'c'], { issueVoucher });
  // More deliveries than attempts by default, and more than deaths.
  expect(await deliver(50)).toBe('abc');
  expect(statuses()).toEqual(['released']);
  repair();
  expect(await deliver(1)).toBe('');
  expect(issued).toEqual(['a', 'b', 'c']);
});

const mayBeApplied = [
  ['ends with 503', new Error('the provider responded with 503')],
  ['breaks off', new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })],
  ['throws nothing that is an error', undefined],
] as const;

test.each(mayBeApplied)("of a stream, 'park' parks each record whose attempt %s", async (_, error) => {
  const { issued, issueVoucher, repair } = outage(error);
  const { deliver, statuses } = await stream(['a', 'b'], { issueVoucher });
  // Each fails once more, with its own error, in the delivery that parks it.
  expect(await deliver(2)).toBe('b');
  expect(await deliver(1)).toBe('');
  repair();
  expect(statuses()).toEqual(['parked', 'parked']);
  expect(issued).toEqual([]);
});

test.each(mayBeApplied)("of a stream, 'retry' brings each record again whose attempt %s", async (_, error) => {
  const { issued, issueVoucher, repair } = outage(error);
  const retrying = (options: object, fn: never) => quiet({ ...options, onAbandoned: 'retry' } as never, fn);
  const { deliver } = await stream(['a', 'b'], { issueVoucher, once: retrying });
  expect(await deliver(50)).toBe('ab');
  repair();
  expect(await deliver(1)).toBe('');
  expect(issued).toEqual(['a', 'b']);
});

test('of a stream, a provider that cannot be asked either parks at the third time, or with maxAbandoned not at all', async () => {
  for (const [maxAbandoned, ends] of [
    [3, 'parked'],
    [1_000_000, 'released'],
  ] as const) {
    const { issueVoucher } = outage(new Error('the provider responded with 503'));
    const asking = (options: object, fn: never) => {
      const onAbandoned = reconcile({ ask: () => Promise.reject(refused), settleMs: 0 });
      return quiet({ ...options, skewMs: 0, maxAbandoned, onAbandoned } as never, fn);
    };
    const { deliver, statuses } = await stream(['a'], { issueVoucher, once: asking });
    await deliver(5);
    expect(statuses()).toEqual([ends]);
  }
});

test('of a stream, a record that no repetition helps does not block its shard', async () => {
  const issueVoucher = (id: string) => (id === 'b' ? Promise.reject(new RejectedError('gone')) : undefined);
  expect(await (await stream(['', 'a', 'b'], { issueVoucher })).deliver(1)).toBe('');
  const noFingerprint = () => () => Promise.reject(new FingerprintError('NaN'));
  expect(await (await stream(['a', 'b'], { issueVoucher, once: noFingerprint })).deliver(1)).toBe('');
});

test("in Powertools' BatchProcessor over a stream, what is parked or no JSON is passed by, and what is in flight comes again", async () => {
  const { apply, times } = effects({ b: new Error('reset'), d: new RetryableError('429') });
  const key = ({ id }: { id: string }) => id;
  const options = { operation: 'notify', store: memoryStore(), key, onAbandoned: 'park', recordResult: false } as const;
  const run = await exampleOf(guide, 'EventType.KinesisDataStreams');
  const { handler } = (await run({ notify: quiet(options, ({ id }) => apply(id)), console: said })) as {
    handler: StreamHandler;
  };
  const record = (id: string, data: string) => ({
    eventSource: 'aws:kinesis',
    kinesis: { data: Buffer.from(data).toString('base64'), sequenceNumber: id },
  });
  const json = ['a', 'b', 'd'].map((id) => record(id, JSON.stringify({ id })));
  const event = { Records: [...json, record('e', 'no JSON')] };
  expect(failuresOf(await handler(event, context() as Context))).toEqual(['b', 'd']);
  expect(failuresOf(await handler(event, context() as Context))).toEqual([]);
  expect(times).toEqual({ a: 1, b: 1, d: 2 });
});

test('the key of several fields refuses an input that lacks one', async () => {
  const { key } = (await (await exampleOf(guide, 'compositeKey('))()) as { key: (bill: object) => unknown };
  expect(key({ customer: 'c-17', month: '2026-11' })).toBe('c-17/2026-11');
  expect(key({ customer: 'c-17' })).toBeUndefined();
});

test("in Powertools' BatchProcessor, exactly what is not done comes again", async () => {
  const { apply, times } = effects({ b: new Error('reset') });
  const run = await exampleOf(guide, 'BatchProcessor(EventType.SQS)');
  const mailer = { send: ({ id }: { id: string }) => apply(id) };
  const { handler } = (await run({ once: quiet, store: memoryStore(), mailer })) as {
    handler: (event: SQSEvent, lambda: Context) => Promise<unknown>;
  };
  const event = sqsEvent(...['a', 'b', 'c'].map((id) => sqsRecord({ id }, { messageId: id }))) as SQSEvent;
  expect(failuresOf(await handler(event, context() as Context))).toEqual(['b']);
  expect(failuresOf(await handler(event, context() as Context))).toEqual(['b']);
  expect(times).toEqual({ a: 1, b: 1, c: 1 });
});

test('of a loop, the next run does what this one has not done', async () => {
  const { apply, times } = effects({ b: new Error('reset') });
  const run = await exampleOf(guide, 'payOut.outcome(one)');
  const lines: unknown[][] = [];
  const given = {
    once: quiet,
    store: memoryStore(),
    due: [{ id: 'a' }, { id: 'b' }],
    bank: { payOut: apply },
    console: { log: (...words: unknown[]) => lines.push(words) },
  };
  await run(given);
  await run(given);
  expect(lines).toEqual([
    ['a', 'completed'],
    ['b', 'failed'],
    ['a', 'completed'],
    ['b', 'completed'],
  ]);
  expect(times).toEqual({ a: 1, b: 2 });
});
