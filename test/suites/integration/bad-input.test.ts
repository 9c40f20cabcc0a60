import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ClaimEvent } from '../../../lib/pawl/index.ts';
import {
  bodyField,
  deadLetterQueue,
  eachMessage,
  type SqsEvent,
  type SqsOptions,
} from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const Order = v.object({ orderId: v.optional(v.string()), note: v.optional(v.string()) });
type Order = v.InferOutput<typeof Order>;

let client: DynamoDBClient;
let tableName: string;
let queues: Awaited<ReturnType<typeof startQueues>>;
beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());
beforeEach(async () => {
  queues = await startQueues();
});
afterEach(() => queues.stop());

function consumer(options: Partial<SqsOptions<Order>> = {}, effect: () => unknown = () => undefined) {
  const ran: (string | undefined)[] = [];
  const events: ClaimEvent[] = [];
  const handler = eachMessage<Order>(
    {
      operation: 'send-email',
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
      schema: Order,
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      deadLetters: deadLetterQueue(queues.deadLetters.url),
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: (event) => events.push(event),
      ...options,
    },
    ({ body }) => {
      ran.push(body.orderId);
      return effect();
    },
  );
  return { handler, ran, events, deliver: () => queues.deliver((event: SqsEvent) => handler(event, context())) };
}

describe('a message that can never run goes straight to the dead-letter queue, with the reason', () => {
  it.each([
    ['a body that is no JSON', 'hello', 'invalid-message', /the body is not JSON/],
    [
      'a body that does not match the schema',
      { orderId: 17 },
      'invalid-message',
      /does not match the schema at: orderId/,
    ],
    ['a missing key', { note: 'no id' }, 'missing-key', /missing or empty/],
    ['an empty key', { orderId: '' }, 'missing-key', /missing or empty/],
  ])('%s', async (_, body, reason, error) => {
    const { deliver, ran } = consumer();
    const sent = await queues.send(body, { 'trace-id': 't-1' });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(ran).toEqual([]);
    const { Records } = await queues.receive(queues.deadLetters);
    expect(Records).toMatchObject([
      {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        messageAttributes: {
          'trace-id': { stringValue: 't-1' },
          'pawl-reason': { stringValue: reason },
          'pawl-error': { stringValue: expect.stringMatching(error) },
          'pawl-source-message-id': { stringValue: sent },
        },
      },
    ]);
  });

  it('or, without one configured, stays on its queue until the redrive policy moves it', async () => {
    const { deliver, events } = consumer({ deadLetters: undefined });
    const sent = await queues.send('hello');
    expect(await deliver()).toEqual({ received: 1, failed: [sent] });
    expect(await queues.depth(queues.orders)).toMatchObject({ inFlight: 1 });
    expect(events).toMatchObject([
      { type: 'undeliverable', reason: 'invalid-message' },
      { type: 'waiting', messages: 1 },
    ]);
  });

  it('or, when the dead-letter queue cannot be reached, stays on its queue', async () => {
    const nowhere = queues.deadLetters.url.replace('orders-dlq', 'no-such-queue');
    const { deliver, events } = consumer({ deadLetters: deadLetterQueue(nowhere) });
    const sent = await queues.send('hello');
    expect(await deliver()).toEqual({ received: 1, failed: [sent] });
    expect(await queues.depth(queues.orders)).toMatchObject({ inFlight: 1 });
    expect(events.map(({ type }) => type)).toEqual(['queue-call-failed', 'waiting']);
  });

  it('stays in the trace of its sender', async () => {
    const sent: unknown[] = [];
    const traced = queues.functionClient;
    traced.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'SendMessageCommand') sent.push(args.input);
          return next(args);
        },
      { step: 'initialize', name: 'sent' },
    );
    const AWSTraceHeader = 'Root=1-6920323a-7f1a2b3c4d5e6f7a8b9c0d1e;Sampled=1';
    const { handler } = consumer();
    await queues.send('hello');
    await queues.send('hello again');
    // The local server keeps no trace: it is put into what is received, and seen in what is sent, which the server takes.
    const [first, ...others] = (await queues.receive(queues.orders)).Records;
    if (first === undefined) throw new Error('nothing was received');
    const attributes = { ...first.attributes, AWSTraceHeader };
    expect(failuresOf(await handler({ Records: [{ ...first, attributes }, ...others] }, context()))).toEqual([]);
    traced.middlewareStack.remove('sent');
    const system = { AWSTraceHeader: { DataType: 'String', StringValue: AWSTraceHeader } };
    expect(sent).toHaveLength(2);
    expect(
      sent.map((input) => (input as { MessageSystemAttributes?: unknown }).MessageSystemAttributes).toSorted(),
    ).toEqual([system, undefined]);
    expect((await queues.receive(queues.deadLetters)).Records).toHaveLength(2);
  });

  it('of 1 MiB that is no JSON: it goes whole, without the reason it has no room for', async () => {
    const { deliver, events } = consumer();
    await queues.send('x'.repeat(1_048_576));
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    const { Records } = await queues.receive(queues.deadLetters);
    expect(Records[0]?.body).toHaveLength(1_048_576);
    expect(events).toMatchObject([{ type: 'dead-lettered', reason: 'invalid-message' }]);
  });
});

describe('what is unusual and not wrong runs once', () => {
  it('a key over 2,048 bytes: kept as a hash, and its duplicate is known', async () => {
    const { deliver, ran } = consumer();
    const orderId = 'k'.repeat(5000);
    await queues.send({ orderId });
    await deliver();
    await queues.send({ orderId });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(ran).toEqual([orderId]);
  });

  it('a body of 1 MiB', async () => {
    const { deliver, ran } = consumer();
    const frame = JSON.stringify({ orderId: 'large', note: '' }).length;
    await queues.send({ orderId: 'large', note: 'x'.repeat(1_048_576 - frame) });
    expect(await deliver()).toEqual({ received: 1, failed: [] });
    expect(ran).toEqual(['large']);
  });

  it('a result that cannot be serialised: the effect is not repeated', async () => {
    const { deliver, ran, events } = consumer({ recordResult: true }, () => ({ amount: 10n }));
    for (let sends = 0; sends < 2; sends++) {
      await queues.send({ orderId: 'bigint' });
      expect(await deliver()).toEqual({ received: 1, failed: [] });
    }
    expect(ran).toEqual(['bigint']);
    expect(events.map(({ type }) => type)).toContain('result-not-recorded');
  });
});

describe('a claims store that cannot be used runs nothing, and every message stays on its queue', () => {
  it.each([
    [
      'the table is missing',
      () => dynamoStore({ tableName: 'no-such-table', aws: sdk({ dynamodb: client }) }),
      'throws',
    ],
    [
      'DynamoDB cannot be reached',
      () => dynamoStore({ tableName, aws: sdk({ dynamodb: localClient('http://127.0.0.1:1', { maxAttempts: 2 }) }) }),
      'returns all',
    ],
  ])('%s', async (_, store, outcome) => {
    const { deliver, ran, events } = consumer({ store: store() });
    const sent = [await queues.send({ orderId: 'x' }), await queues.send({ orderId: 'y' })];
    // An invocation that throws brings back its whole batch.
    if (outcome === 'throws') await expect(deliver()).rejects.toThrow('docs/errors.md#missing-table');
    else expect([...(await deliver()).failed].sort()).toEqual(sent.sort());
    expect(ran).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['store-unavailable', 'store-unavailable', 'waiting']);
    expect(await queues.depth(queues.orders)).toMatchObject({ inFlight: 2 });
  });
});
