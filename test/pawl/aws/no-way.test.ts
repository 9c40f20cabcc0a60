import middy from '@middy/core';
import { expect, test } from 'vitest';
import { type ClaimEvent, failOpen, memoryStore, rememberCompleted } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { operator } from '../../../lib/pawl/operate/index.ts';
import { bodyField, deadLetterQueue, eachMessage, sendOnce } from '../../../lib/pawl/sqs/index.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';

/** What a door asks of SQS, and over which way. */
function way() {
  const asked: string[] = [];
  const call = async (operation: string) => {
    asked.push(operation);
    return { MessageId: 'm-1' };
  };
  return { asked, aws: { dynamodb: { call, region: async () => 'eu-west-1' }, sqs: { call } } };
}

const fails = () => Promise.reject(new Error('the mail server is down'));
const doors = {
  eachMessage: (options: Parameters<typeof eachMessage>[0]) => eachMessage(options, fails),
  sqsOnce: (options: Parameters<typeof eachMessage>[0]) =>
    middy(fails, { timeoutEarlyInMillis: 0 }).use(sqsOnce(options)) as unknown as ReturnType<typeof eachMessage>,
};

/** A batch of one message that fails, and one that can never run. */
async function batch(door: keyof typeof doors, options: Pick<Parameters<typeof eachMessage>[0], 'store' | 'aws'>) {
  const events: ClaimEvent[] = [];
  const handler = doors[door]({
    operation: 'send-email',
    key: bodyField('id'),
    onAbandoned: 'retry',
    deadLetters: deadLetterQueue('https://sqs.eu-west-1.amazonaws.com/123456789012/dead'),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const records = [sqsRecord({ id: 'a' }, { messageId: 'fails' }), sqsRecord({}, { messageId: 'never' })];
  const failures = failuresOf(await handler(sqsEvent(...records), context()));
  return { failures, failed: events.flatMap((event) => (event.type === 'queue-call-failed' ? event.error : [])) };
}

test.each(Object.keys(doors) as (keyof typeof doors)[])(
  '%s asks SQS over the way of its store, through the wrappers of pawl',
  async (door) => {
    for (const wrap of [
      (store: ReturnType<typeof memoryStore>) => store,
      (store: ReturnType<typeof memoryStore>) => rememberCompleted(store),
      (store: ReturnType<typeof memoryStore>) => failOpen(store, () => undefined),
    ]) {
      const { asked, aws } = way();
      const { failures, failed } = await batch(door, { store: wrap({ ...memoryStore(), aws }) });
      expect({ failures, failed }).toEqual({ failures: ['fails'], failed: [] });
      expect(asked.toSorted()).toEqual(['ChangeMessageVisibilityBatch', 'SendMessage']);
    }
  },
);

test.each(Object.keys(doors) as (keyof typeof doors)[])(
  '%s asks SQS over its own way, before that of its store',
  async (door) => {
    const [own, other] = [way(), way()];
    await batch(door, { store: { ...memoryStore(), aws: other.aws }, aws: own.aws });
    expect([own.asked.length, other.asked.length]).toEqual([2, 0]);
  },
);

test.each(Object.keys(doors) as (keyof typeof doors)[])(
  '%s without a way works, loses no message, and says what to do where it has to ask SQS',
  async (door) => {
    const { failures, failed } = await batch(door, { store: memoryStore() });
    expect(failures).toEqual(['fails', 'never']);
    expect(failed).toHaveLength(2);
    for (const { message } of failed) {
      expect(message).toContain('Pass aws: sdk() of pawl/dynamodb, or lean() of pawl/dynamodb/lean');
      expect(message).toContain('errors.md#no-way-to-sqs');
    }
  },
);

test('sendOnce refuses to be set up without a way', async () => {
  const options = { operation: 'bill', queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/bills' };
  expect(() => sendOnce({ ...options, store: memoryStore() })).toThrow(/^aws: sendOnce has to ask SQS/);
  const { asked, aws } = way();
  for (const given of [{ store: memoryStore(), aws }, { store: { ...memoryStore(), aws } }]) {
    expect(await sendOnce({ ...options, ...given })({ key: 'b-1', body: {} })).toMatchObject({ outcome: 'sent' });
  }
  expect(asked).toEqual(['SendMessage', 'SendMessage']);
});

test('an operator without a way reads and resolves claims, and throws where it has to ask SQS', async () => {
  const operate = operator({ store: memoryStore() });
  expect(await operate.readClaim({ operation: 'o', key: 'k' })).toBeUndefined();
  await expect(operate.queueDepth('https://sqs/dead')).rejects.toThrow(/^aws: operator has to ask SQS.*no-way-to-sqs$/);
  const { asked, aws } = way();
  await operator({ store: { ...memoryStore(), aws } }).queueDepth('https://sqs/dead');
  expect(asked).toEqual(['GetQueueAttributes']);
});
