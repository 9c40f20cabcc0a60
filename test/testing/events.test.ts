import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import {
  type CrashSweepOptions,
  crashSweep,
  type FaultAt,
  type SweptMessage,
  type World,
} from '../../lib/testing/index.ts';
import { forgetfulProvider, order } from './providers.ts';

/*
 * What a handler under sweep is given: records as SQS and Lambda have them, and a clock.
 */

/** The records that a handler was given, each as it was handed over. */
async function received(
  messages: readonly SweptMessage[],
  faults: readonly FaultAt[],
  options: Partial<CrashSweepOptions<ReturnType<typeof forgetfulProvider>>> = {},
): Promise<readonly SQSRecord[]> {
  const records: SQSRecord[] = [];
  await crashSweep({
    messages,
    provider: forgetfulProvider,
    handler:
      (world, { send }) =>
      async ({ Records }: SQSEvent) => {
        records.push(...structuredClone(Records));
        await world.io('send', () => send('o-1'));
      },
    effects: () => 1,
    replay: faults,
    ...options,
  });
  return records;
}

it('hands over records with all that SQS says of a message', async () => {
  const [record] = await received([{ body: { orderId: 'o-1' }, messageAttributes: { tenant: 'ada' } }], []);
  const body = '{"orderId":"o-1"}';
  expect(record).toEqual({
    messageId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    receiptHandle: expect.any(String),
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      SenderId: expect.any(String),
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
    },
    messageAttributes: {
      tenant: { stringValue: 'ada', stringListValues: [], binaryListValues: [], dataType: 'String' },
    },
    md5OfBody: createHash('md5').update(body).digest('hex'),
    md5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/),
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:swept',
    awsRegion: 'us-east-1',
  });
});

it('keeps when a message was sent and first received, over its redeliveries; counts them, and makes a new receipt each time', async () => {
  const [first, second] = await received(order, [{ at: 1, fault: 'kill-after' }]);
  const stays = ({ messageId, attributes }: SQSRecord) => [
    messageId,
    attributes.SentTimestamp,
    attributes.ApproximateFirstReceiveTimestamp,
  ];
  expect(first && second && stays(first)).toEqual(second && stays(second));
  expect(Number(first?.attributes.SentTimestamp)).toBeLessThan(
    Number(first?.attributes.ApproximateFirstReceiveTimestamp),
  );
  expect([first, second].map((one) => one?.attributes.ApproximateReceiveCount)).toEqual(['1', '2']);
  expect(first?.receiptHandle).not.toBe(second?.receiptHandle);
});

it('says of a FIFO queue which group, which sequence number, and which deduplication id', async () => {
  const messages = [
    { body: { orderId: 'o-1' }, messageGroupId: 'ada' },
    { body: { orderId: 'o-1' }, messageGroupId: 'ada', messageDeduplicationId: 'o-1' },
  ];
  const [first, second] = await received(messages, []);
  expect(first?.eventSourceARN).toMatch(/\.fifo$/);
  expect(first?.attributes).toMatchObject({ MessageGroupId: 'ada', MessageDeduplicationId: expect.any(String) });
  expect(second?.attributes.MessageDeduplicationId).toBe('o-1');
  expect(BigInt(second?.attributes.SequenceNumber ?? 0)).toBeGreaterThan(BigInt(first?.attributes.SequenceNumber ?? 0));
  expect(first?.attributes.SequenceNumber).toMatch(/^\d{20}$/);
});

it('passes a trace on, where a message has one', async () => {
  const awsTraceHeader = 'Root=1-5759e988-bd862e3fe1be46a994272793';
  const [record] = await received([{ body: {}, awsTraceHeader }], []);
  expect(record?.attributes.AWSTraceHeader).toBe(awsTraceHeader);
});

it('lets a middleware put a parsed body in the place of the text', async () => {
  const bodies: unknown[] = [];
  await crashSweep({
    messages: order,
    provider: forgetfulProvider,
    handler:
      (world, { send }) =>
      async ({ Records }: SQSEvent) => {
        for (const record of Records) Object.assign(record, { body: JSON.parse(record.body) });
        bodies.push(...Records.map(({ body }) => body));
        await world.io('send', () => send('o-1'));
      },
    effects: () => 1,
    replay: [],
  });
  expect(bodies).toEqual([{ orderId: 'o-1' }]);
});

it('takes a receipt for the receive that it was made at: later ones have their own visibility', async () => {
  const failures: unknown[] = [];
  const receipts: string[] = [];
  const change = async (world: World, ReceiptHandle = '') => {
    const input = { Entries: [{ Id: '0', ReceiptHandle, VisibilityTimeout: 600 }] };
    const { sqs } = world.options.store.aws;
    const answered: unknown = await sqs.call('ChangeMessageVisibilityBatch', input);
    failures.push((answered as { Failed: { Code: string }[] }).Failed.map(({ Code }) => Code));
  };
  await crashSweep({
    messages: order,
    provider: forgetfulProvider,
    handler:
      (world, { send }) =>
      async ({ Records: [record] }: SQSEvent) => {
        receipts.push(record?.receiptHandle ?? '');
        await world.io('send', () => send('o-1'));
        for (const receipt of receipts) await change(world, receipt);
      },
    effects: () => 1,
    replay: [{ at: 1, fault: 'throw' }],
  });
  expect(receipts).toHaveLength(2);
  expect(failures).toEqual([['ReceiptHandleIsInvalid'], []]);
});

it('shows the clock of the run to what is swept, and the real one to the rest of the process', async () => {
  const seen: [Date: number, now: number, options: number][] = [];
  const outside: number[] = [];
  const watching = setInterval(() => outside.push(Date.now()), 1);
  const before = Date.now();
  await crashSweep({
    messages: order,
    provider: forgetfulProvider,
    handler:
      (world, { send }) =>
      async () => {
        for (const wait of [
          () => sleep(60_000),
          () => new Promise((resolve) => setTimeout(resolve, 60_000)),
          () => world.io('send', () => send('o-1')),
        ]) {
          await wait();
          seen.push([Date.now(), Date.now(), world.options.host.now()]);
        }
      },
    effects: () => 1,
    functionTimeoutMs: 300_000,
    replay: [],
  });
  await sleep(5);
  clearInterval(watching);
  for (const [date, now, host] of seen) expect([date, now]).toEqual([host, host]);
  const [first, second, third] = seen.map(([date]) => date);
  expect([Number(second) - Number(first), Number(third) - Number(second)]).toEqual([60_000, 40]);
  expect(outside.every((now) => now >= before && now <= before + 60_000)).toBe(true);
});

it('stops the timers of a worker that dies', async () => {
  const rung: number[] = [];
  await crashSweep({
    messages: order,
    provider: forgetfulProvider,
    handler:
      (world, { send }) =>
      async () => {
        const timer = setInterval(() => rung.push(Date.now()), 1000);
        await world.io('send', () => send('o-1'), { takesMs: 3500 });
        clearInterval(timer);
      },
    effects: () => 1,
    replay: [{ at: 1, fault: 'kill-before' }],
  });
  // One before it dies, and three of the worker that comes after it.
  expect(rung).toHaveLength(4);
});
