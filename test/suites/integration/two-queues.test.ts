import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { bodyField, deadLetterQueue, eachMessage } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { startSqsLocal } from '../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';

let sqs: Awaited<ReturnType<typeof startSqsLocal>>;
beforeEach(async () => {
  sqs = await startSqsLocal();
});
afterEach(() => sqs.stop());

test('a function that two queues feed dead-letters each message to the queue of its own source, and keeps one of a queue it does not know', async () => {
  const [urgent, bulk, other] = [
    await sqs.createQueue('urgent'),
    await sqs.createQueue('bulk'),
    await sqs.createQueue('other'),
  ];
  const [urgentDead, bulkDead] = [await sqs.createQueue('urgent-dead'), await sqs.createQueue('bulk-dead')];
  const handler = eachMessage(
    {
      operation: 'send-email',
      store: memoryStore(),
      key: bodyField('orderId'),
      onAbandoned: 'retry',
      // As two Consumers of one function write it.
      deadLetters: deadLetterQueue(`${urgent.arn}=${urgentDead.url} ${bulk.arn}=${bulkDead.url}`),
      aws: sdk({ sqs: sqs.client }),
      onEvent: () => undefined,
    },
    () => undefined,
  );
  const from = async (eventSourceARN: string) => {
    const event = sqsEvent({ ...sqsRecord('no JSON'), eventSourceARN });
    return failuresOf(await handler(event, context()));
  };
  expect(await from(urgent.arn)).toEqual([]);
  expect(await from(bulk.arn)).toEqual([]);
  expect(await from(bulk.arn)).toEqual([]);
  expect(await from(other.arn)).toHaveLength(1);
  expect([(await sqs.depth('urgent-dead')).ready, (await sqs.depth('bulk-dead')).ready]).toEqual([1, 2]);
});
