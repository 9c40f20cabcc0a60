import { randomUUID } from 'node:crypto';
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../../../../lib/rehearsal/engine/lambda/lambda.ts';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import {
  type EventSource,
  type EventSourceOptions,
  startEventSource,
} from '../../../../lib/rehearsal/services/sqs/event-source.ts';
import { eventually } from '../../../support/eventually.ts';

let sqs: SqsLocal;
let source: EventSource;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterEach(() => source.stop());
afterAll(() => sqs.stop());

const everythingWorked: Outcome = { kind: 'response', value: null };

interface Bench {
  readonly name: string;
  readonly url: string;
  readonly events: readonly SQSEvent[];
  /** The bodies of each batch, in the order of the batches. */
  batches(): readonly (readonly string[])[];
}

/** A queue, and an event source that answers each batch as told and remembers it. */
async function bench(
  answer: (event: SQSEvent) => Outcome | Promise<Outcome>,
  options: Partial<EventSourceOptions> = {},
  attributes: Readonly<Record<string, string>> = {},
  bodies: readonly string[] = [],
): Promise<Bench> {
  const name = `q-${randomUUID()}${attributes['FifoQueue'] === 'true' ? '.fifo' : ''}`;
  const queue = await sqs.createQueue(name, { VisibilityTimeout: '3', ...attributes });
  await send(queue.url, bodies);
  const events: SQSEvent[] = [];
  source = startEventSource({
    client: sqs.client,
    queue,
    batchSize: 10,
    windowMs: 0,
    reportsBatchItemFailures: true,
    concurrency: 1,
    ...options,
    async invoke(event) {
      const parsed: SQSEvent = JSON.parse(JSON.stringify(event));
      events.push(parsed);
      return answer(parsed);
    },
  });
  return { name, url: queue.url, events, batches: () => events.map(({ Records }) => Records.map(({ body }) => body)) };
}

async function send(QueueUrl: string, bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies
      .slice(start, start + 10)
      .map((MessageBody, index): SendMessageBatchRequestEntry => ({ Id: String(index), MessageBody }));
    await sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
}

async function expectEmpty(name: string): Promise<void> {
  await eventually('the queue is empty', async () =>
    expect(await sqs.depth(name)).toEqual({ ready: 0, delayed: 0, inFlight: 0 }),
  );
}

function failing(...bodies: string[]) {
  return ({ Records }: SQSEvent): Outcome => {
    const failed = Records.filter(({ body }) => bodies.includes(body));
    return { kind: 'response', value: { batchItemFailures: failed.map((one) => ({ itemIdentifier: one.messageId })) } };
  };
}

test('records have the shape that Lambda gives them', async () => {
  const { url, name, events } = await bench(() => everythingWorked);
  const MessageAttributes = {
    colour: { DataType: 'String', StringValue: 'blue' },
    raw: { DataType: 'Binary', BinaryValue: Buffer.from('abc') },
  };
  const { MessageId } = await sqs.client.send(
    new SendMessageCommand({ QueueUrl: url, MessageBody: 'hello', MessageAttributes }),
  );
  await expectEmpty(name);
  expect(events[0]?.Records[0]).toMatchObject({
    messageId: MessageId,
    receiptHandle: expect.stringMatching(/./),
    body: 'hello',
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
    messageAttributes: {
      colour: { stringValue: 'blue', dataType: 'String', stringListValues: [], binaryListValues: [] },
      raw: { binaryValue: 'YWJj', dataType: 'Binary' },
    },
    md5OfBody: '5d41402abc4b2a76b9719d911017c592',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${name}`,
    awsRegion: 'us-east-1',
  });
});

test('only the messages that failed come back, and are counted as received once more', async () => {
  let calls = 0;
  const { name, events, batches } = await bench(
    (event) => (calls++ === 0 ? failing('b')(event) : everythingWorked),
    {},
    {},
    ['a', 'b', 'c'],
  );
  await expectEmpty(name);
  expect(batches()).toEqual([['a', 'b', 'c'], ['b']]);
  expect(events[1]?.Records[0]?.attributes.ApproximateReceiveCount).toBe('2');
  expect(source.stats).toEqual({ batches: 2, deliveries: 4, redeliveries: 1, filteredOut: 0 });
});

test('after a crash all messages come back, and after too many receives they are dead-lettered', async () => {
  const dead = await sqs.createQueue(`dead-${randomUUID()}`);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 });
  const { name, batches } = await bench(() => ({ kind: 'crashed' }), {}, { RedrivePolicy }, ['a', 'b']);
  await expectEmpty(name);
  expect(batches()).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(await sqs.depth(dead.url.split('/').at(-1) ?? '')).toMatchObject({ ready: 2 });
});

test('a batch larger than one receive is gathered within its window', async () => {
  const bodies = Array.from({ length: 40 }, (_, index) => String(index));
  const { name, batches } = await bench(
    () => everythingWorked,
    // So long that no machine takes longer: a batch that is full does not wait for its end.
    { batchSize: 20, windowMs: 60_000 },
    { VisibilityTimeout: '30' },
    bodies,
  );
  await expectEmpty(name);
  expect(batches().map(({ length }) => length)).toEqual([20, 20]);
});

test('a batch that is not full goes when its window is over', async () => {
  const { name, batches } = await bench(() => everythingWorked, { batchSize: 20, windowMs: 500 }, {}, ['a', 'b']);
  await expectEmpty(name);
  expect(batches().flat()).toEqual(['a', 'b']);
});

test('never more batches at once than the concurrency, and no fewer when there is work', async () => {
  let running = 0;
  let most = 0;
  const allowed = Promise.withResolvers<void>();
  const { name } = await bench(
    async () => {
      running += 1;
      most = Math.max(most, running);
      await allowed.promise;
      running -= 1;
      return everythingWorked;
    },
    { batchSize: 1, concurrency: 3 },
    { VisibilityTimeout: '30' },
    Array.from({ length: 12 }, String),
  );
  await eventually('three batches run at once', () => expect(most).toBe(3));
  allowed.resolve();
  await expectEmpty(name);
  expect(most).toBe(3);
});

test('a FIFO queue never gives a group to two batches at once', async () => {
  const busy = new Set<string>();
  const seen: string[] = [];
  let overlapped = false;
  const { name, url } = await bench(
    async ({ Records }) => {
      const groups = Records.map(({ attributes }) => attributes.MessageGroupId ?? '');
      overlapped ||= groups.some((group) => busy.has(group));
      for (const group of groups) busy.add(group);
      await new Promise((resolve) => setTimeout(resolve, 30));
      for (const group of groups) busy.delete(group);
      seen.push(...Records.map(({ body }) => body));
      return everythingWorked;
    },
    { concurrency: 3 },
    { FifoQueue: 'true', ContentBasedDeduplication: 'true' },
  );
  for (let index = 0; index < 12; index += 1) {
    const message = { MessageBody: `${index % 3}:${index}`, MessageGroupId: `g${index % 3}` };
    await sqs.client.send(new SendMessageCommand({ QueueUrl: url, ...message }));
  }
  await expectEmpty(name);
  expect(overlapped).toBe(false);
  for (const group of ['0:', '1:', '2:']) {
    const inOrder = seen.filter((body) => body.startsWith(group)).map((body) => Number(body.slice(2)));
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
    expect(inOrder).toHaveLength(4);
  }
});

test('a deletion that is forgotten delivers a handled message once more', async () => {
  let forgotten = 0;
  const faults = { forgetsDeletion: ({ Body }: { Body?: string | undefined }) => Body === 'b' && forgotten++ === 0 };
  const { name, batches } = await bench(() => everythingWorked, { faults }, {}, ['a', 'b']);
  await expectEmpty(name);
  expect(batches().flat().toSorted()).toEqual(['a', 'b', 'b']);
});

test('a message can be delivered to a second batch while the first one handles it', async () => {
  let twice = 0;
  const faults = { deliversTwice: () => twice++ === 0 };
  let release: () => void = () => undefined;
  const second = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const { name } = await bench(
    async () => {
      calls += 1;
      // The first batch ends only once the second one has begun.
      if (calls === 1) await second;
      else release();
      return everythingWorked;
    },
    { faults, concurrency: 2 },
    { VisibilityTimeout: '30' },
    ['a'],
  );
  await eventually('both batches have begun', () => expect(calls).toBe(2));
  await expectEmpty(name);
});
