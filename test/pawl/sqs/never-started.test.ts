import type { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, eachMessage, type SqsOptions, type SqsRecord } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { virtualHost } from '../../support/virtual-host.ts';

type Order = { readonly orderId: string };

/** A consumer of which nothing starts in time at first: the store takes half of the invocation to grant a claim, and a message needs more. */
function setUp(options: Partial<SqsOptions<Order>> = {}) {
  const host = virtualHost();
  const store = memoryStore();
  const buried: string[] = [];
  const ran: string[] = [];
  let delayMs = 15_000;
  const slow = {
    ...store,
    async write(...[write]: Parameters<typeof store.write>) {
      const written = await store.write(write);
      if (write.next.status === 'in-flight') await new Promise<void>((resolve) => host.after(delayMs, resolve));
      return written;
    },
  };
  const sqsClient = {
    send: async () => ({ Attributes: { RedrivePolicy: '{"maxReceiveCount":5}' } }),
  } as unknown as SQSClient;
  const settings: SqsOptions<Order> = {
    operation: 'send-email',
    store: slow,
    key: bodyField('orderId'),
    onAbandoned: 'retry',
    aws: sdk({ sqs: sqsClient }),
    deadLetters: {
      send: async (_client, { body }, reason) => void buried.push(`${JSON.parse(body).orderId}: ${reason}`),
    },
    onEvent: () => undefined,
    ...options,
  };
  const call = async (handler: (event: SQSEvent, context: Context) => unknown, records: readonly SqsRecord[]) => {
    const response = handler(sqsEvent(...records) as SQSEvent, context(30_000, host.now) as Context);
    await host.advance(29_900);
    return failuresOf(await response);
  };
  return {
    host,
    store,
    settings: { ...settings, host },
    buried,
    ran,
    call,
    recover: () => {
      delayMs = 0;
    },
  };
}

const order = (orderId: string, group?: string) =>
  sqsRecord({ orderId }, { messageId: orderId, receiveCount: 4, ...(group !== undefined && { group }) });
/** An author's classifier that takes for final whatever it does not know. */
const classify = () => 'rejected' as const;

describe('a message that was claimed, and did not start for want of time', () => {
  it('is no failing head of its group: it is not set aside unrun', async () => {
    const { settings, buried, ran, call, recover } = setUp();
    const handler = eachMessage<Order>({ ...settings, timeoutMs: 20_000 }, ({ body }) => void ran.push(body.orderId));
    const group = [order('a', 'g'), order('b', 'g')];
    expect(await call(handler, group)).toEqual(['a', 'b']);
    recover();
    expect(await call(handler, group)).toEqual([]);
    expect([buried, ran]).toEqual([[], ['a', 'b']]);
  });

  it('runs when it comes again, whatever the classifier makes of errors that it does not know', async () => {
    const { settings, buried, ran, call, recover } = setUp({ classify });
    const handler = eachMessage<Order>({ ...settings, timeoutMs: 20_000 }, ({ body }) => void ran.push(body.orderId));
    expect(await call(handler, [order('a')])).toEqual(['a']);
    recover();
    expect(await call(handler, [order('a')])).toEqual([]);
    expect([buried, ran]).toEqual([[], ['a']]);
  });
});

it('runs when it comes again: what sqsOnce has claimed for a handler that another middleware kept from being called', async () => {
  const { settings, store, buried, ran, call, recover } = setUp({ classify });
  recover();
  let answers = true;
  const handler = middy((event: SQSEvent) => void ran.push(...event.Records.map(({ messageId }) => messageId)), {
    timeoutEarlyInMillis: 0,
  })
    .use(sqsOnce<Order>(settings))
    .use({ before: () => (answers ? 'maintenance' : undefined) });
  expect(await call(handler, [order('a'), order('b')])).toEqual(['a', 'b']);
  expect(store.records().map(({ status }) => status)).toEqual(['released', 'released']);
  answers = false;
  expect(await call(handler, [order('a'), order('b')])).toEqual([]);
  expect([buried, ran]).toEqual([[], ['a', 'b']]);
});

it('runs: a record without attributes, as a test event of the console has it', async () => {
  const { settings, ran, call, recover } = setUp();
  recover();
  const handler = eachMessage<Order>(settings, ({ body }) => void ran.push(body.orderId));
  const { attributes, ...bare } = order('a');
  expect(await call(handler, [bare as SqsRecord])).toEqual([]);
  expect(ran).toEqual(['a']);
});
