import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryStore } from '../../../lib/index.ts';
import { operator } from '../../../lib/operate/index.ts';
import { compositeKey, deadLetterQueue, eachMessage, messageId } from '../../../lib/sqs/index.ts';
import { collect } from '../../support/collect.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { record } from '../../support/records.ts';
import { someDay } from '../../support/virtual-host.ts';

let queues: Awaited<ReturnType<typeof startQueues>>;
beforeEach(async () => {
  queues = await startQueues(1);
});
afterEach(() => queues.stop());

const maria = { by: 'maria', note: 'it is in the outbox' };

/** A consumer whose key has SQS's id of the message, and its operator. */
function aConsumer(key = messageId()) {
  const store = memoryStore();
  const applied: unknown[] = [];
  let fails: (() => Error) | undefined = () => new Error('socket hang up');
  const handler = eachMessage(
    {
      operation: 'send-email',
      store,
      key,
      onAbandoned: 'park',
      sqsClient: queues.functionClient,
      deadLetters: deadLetterQueue(queues.deadLetters.url),
      onEvent: () => undefined,
    },
    ({ body }) => {
      applied.push(body);
      if (fails !== undefined) throw fails();
    },
  );
  const operate = operator({ store, sqsClient: queues.functionClient, onEvent: () => undefined });
  return {
    applied,
    operate,
    deliver: () => queues.deliver((event) => handler(event, context())),
    succeeds: () => {
      fails = undefined;
    },
    async redrive() {
      const { letters } = await operate.deadLetters({ queueUrl: queues.deadLetters.url });
      const { url: from } = queues.deadLetters;
      const plan = await operate.planRedrive({ from, to: queues.orders.url, letters, ...maria });
      return { plan, results: await collect(operate.redrive(plan)) };
    },
  };
}

// A copy has another id, so the consumer does not find the claim that the plan has found.
it.each([
  ['is the id', messageId()],
  ['has the id as a part', compositeKey(messageId(), () => 'welcome')],
])('a message whose key %s is not redriven if its effect is confirmed: the copy would run', async (_, key) => {
  const { applied, operate, deliver, succeeds, redrive } = aConsumer(key);
  await queues.send({ to: 'ada' });
  await deliver();
  succeeds();
  expect(await redrive()).toMatchObject({ plan: { items: [{ will: 'stay', whyNot: 'parked' }] } });
  const { letters } = await operate.deadLetters({ queueUrl: queues.deadLetters.url });
  await operate.resolve({ id: letters[0]?.claimId ?? '' }, 'applied', maria);
  expect(await redrive()).toMatchObject({ plan: { items: [{ will: 'stay', whyNot: 'would-repeat' }] }, results: [] });
  await deliver();
  expect(applied).toEqual([{ to: 'ada' }]);
  expect((await queues.depth(queues.deadLetters)).ready).toBe(1);
});

it('such a message is redriven if its effect did not happen', async () => {
  const { applied, operate, deliver, succeeds, redrive } = aConsumer();
  await queues.send({ to: 'ada' });
  await deliver();
  succeeds();
  const { letters } = await operate.deadLetters({ queueUrl: queues.deadLetters.url });
  await operate.resolve({ id: letters[0]?.claimId ?? '' }, 'not-applied', maria);
  expect(await redrive()).toMatchObject({ plan: { items: [{ will: 'run' }] }, results: [{ outcome: 'redriven' }] });
  await deliver();
  expect(applied).toHaveLength(2);
});

it('a message that SQS moved is not redriven by that key while its effect is in doubt: the policy would not see the doubt', async () => {
  await queues.functionClient.send(new SendMessageCommand({ QueueUrl: queues.deadLetters.url, MessageBody: '{}' }));
  const { url: queueUrl } = queues.deadLetters;
  const store = memoryStore();
  const operate = operator({ store, sqsClient: queues.functionClient, onEvent: () => undefined });
  const { letters } = await operate.deadLetters({ queueUrl, operation: 'send-email', key: messageId() });
  const id = letters[0]?.claimId ?? '';
  await store.write({ next: record({ id, status: 'released', unknownAt: someDay }), seen: undefined });
  const wanted = { from: queueUrl, to: queues.orders.url, letters, ...maria };
  expect(await operate.planRedrive(wanted)).toMatchObject({ items: [{ whyNot: 'would-repeat' }] });
  await operate.resolve({ id }, 'not-applied', maria);
  expect(await operate.planRedrive(wanted)).toMatchObject({ items: [{ will: 'run' }] });
});
