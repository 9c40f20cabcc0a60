import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SqsLocal, startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';

let sqs: SqsLocal;
beforeAll(async () => {
  sqs = await startSqsLocal();
});
afterAll(() => sqs.stop());

const fifo = { FifoQueue: 'true', ContentBasedDeduplication: 'true', VisibilityTimeout: '30' };

async function send(url: string, ...messages: readonly string[]): Promise<void> {
  for (const body of messages) {
    // The group is the letter.
    const message = { QueueUrl: url, MessageBody: body, MessageGroupId: body.slice(0, 1) };
    await sqs.client.send(new SendMessageCommand(message));
  }
}

async function receive(url: string, most = 10) {
  const request = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: most });
  const { Messages = [] } = await sqs.client.send(request);
  return Messages.map(({ Body = '', ReceiptHandle = '' }) => ({ body: Body, ReceiptHandle }));
}

const bodies = (messages: readonly { readonly body: string }[]) => messages.map(({ body }) => body);

test('a FIFO queue forgets the deduplication ids of what is over, and takes such a message again', async () => {
  const { url } = await sqs.createQueue('forgets.fifo', fifo);
  const again = async () => {
    await send(url, 'a1', 'b1');
    const messages = await receive(url);
    for (const { ReceiptHandle } of messages)
      await sqs.client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    return bodies(messages);
  };
  expect(await again()).toEqual(['a1', 'b1']);
  expect(await again()).toEqual([]);
  expect(sqs.endDeduplication((text) => text === 'a1')).toEqual(['forgets.fifo']);
  expect(await again()).toEqual(['a1']);
});

test('a message that is to become visible again may be given more time at the last moment', async () => {
  let extended = 0;
  const patient: SqsLocal = await startSqsLocal({
    beforeExpiry() {
      extended += 1;
      patient.extend('patient', held, 60_000);
    },
  });
  const held: string[] = [];
  try {
    const { url } = await patient.createQueue('patient', { VisibilityTimeout: '1' });
    await patient.client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'a' }));
    const { Messages = [] } = await patient.client.send(new ReceiveMessageCommand({ QueueUrl: url }));
    held.push(...Messages.map(({ ReceiptHandle = '' }) => ReceiptHandle));
    await sleep(1_500);
    const { Messages: again = [] } = await patient.client.send(new ReceiveMessageCommand({ QueueUrl: url }));
    expect(again).toEqual([]);
    expect(await patient.depth('patient')).toMatchObject({ ready: 0, inFlight: 1 });
    expect(extended).toBe(1);
  } finally {
    await patient.stop();
  }
});

test('a receive from a FIFO queue takes as many messages of a group as fit, in order, and other groups after it', async () => {
  const { url } = await sqs.createQueue('groups.fifo', fifo);
  await send(url, 'a1', 'a2', 'b1', 'a3', 'b2');
  expect(bodies(await receive(url, 4))).toEqual(['a1', 'a2', 'a3', 'b1']);
  // Both groups are closed now.
  expect(await receive(url)).toEqual([]);
});

test('a group stays closed until everything that was received of it is gone or back, and what comes back keeps its order', async () => {
  const { url } = await sqs.createQueue('returns.fifo', fifo);
  await send(url, 'a1', 'a2', 'a3', 'a4');
  const [first, second, third] = await receive(url, 3);
  const show = (message: typeof first) =>
    sqs.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: message?.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    );
  await show(second);
  expect(await receive(url)).toEqual([]);
  await show(third);
  await sqs.client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: first?.ReceiptHandle }));
  expect(bodies(await receive(url))).toEqual(['a2', 'a3', 'a4']);
});

test('what a queue holds can be read without receiving it', async () => {
  const { url } = await sqs.createQueue('held.fifo', fifo);
  await send(url, 'a1', 'a2', 'b1');
  await receive(url, 1);
  expect(bodies(await sqs.messages('held.fifo')).toSorted()).toEqual(['a1', 'a2', 'b1']);
});

test('a hundred long polls hold up no other request', async () => {
  const [empty, other] = await Promise.all([sqs.createQueue('polled'), sqs.createQueue('sent-to')]);
  const ending = new AbortController();
  const request = { QueueUrl: empty.url, WaitTimeSeconds: 20 };
  const polls = Array.from({ length: 100 }, () =>
    sqs.client.send(new ReceiveMessageCommand(request), { abortSignal: ending.signal }).catch(() => undefined),
  );
  // A send has less to prepare than a receive, and would overtake those that begin with it.
  await sleep(100);
  const sent = sqs.client.send(new SendMessageCommand({ QueueUrl: other.url, MessageBody: 'a' }));
  expect(await Promise.race([sent.then(() => 'sent'), ...polls.map((poll) => poll.then(() => 'polled'))])).toBe('sent');
  ending.abort();
  await Promise.all(polls);
});
