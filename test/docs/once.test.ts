import type { Context, DynamoDBBatchResponse, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { memoryStore, once, parkedClaims, RejectedError } from '../../lib/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../support/lambda.ts';
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
  await parkedClaims({ operation: 'issue-voucher', store }).resolve('b', 'applied', { by: 'maria', note: 'seen' });
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

test("in Powertools' BatchProcessor, exactly what is not done comes again", async () => {
  const { apply, times } = effects({ b: new Error('reset') });
  const run = await exampleOf(guide, 'processPartialResponse(');
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
