import { DeleteMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hashed, memoryStore } from '../../../../lib/pawl/index.ts';
import { type OperateEvent, operator } from '../../../../lib/pawl/operate/index.ts';
import { bodyField, compositeKey, deadLetterQueue, eachMessage, messageId } from '../../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { collect } from '../../../support/collect.ts';
import { context, sqsEvent, sqsRecord } from '../../../support/lambda.ts';
import { startQueues } from '../../../support/queues.ts';
import { record } from '../../../support/records.ts';
import { someDay } from '../../../support/virtual-host.ts';

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
      aws: sdk({ sqs: queues.functionClient }),
      deadLetters: deadLetterQueue(queues.deadLetters.url),
      onEvent: () => undefined,
    },
    ({ body }) => {
      applied.push(body);
      if (fails !== undefined) throw fails();
    },
  );
  const acts: OperateEvent[] = [];
  const operate = operator({ store, aws: sdk({ sqs: queues.functionClient }), onEvent: (act) => acts.push(act) });
  return {
    applied,
    acts,
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

it.each([
  ['is the id', messageId(), 'delete', 'deleted'],
  ['has the id as a part', compositeKey(messageId(), () => 'welcome'), 'acknowledge', 'redriven'],
] as const)('a message whose key %s does not run again if its effect is confirmed', async (_, key, will, outcome) => {
  const { applied, acts, operate, deliver, succeeds, redrive } = aConsumer(key);
  await queues.send({ to: 'ada' });
  await deliver();
  succeeds();
  expect(await redrive()).toMatchObject({ plan: { items: [{ will: 'stay', whyNot: 'parked' }] } });
  const { letters } = await operate.deadLetters({ queueUrl: queues.deadLetters.url });
  await operate.resolve({ id: letters[0]?.claimId ?? '' }, 'applied', maria);
  expect(await redrive()).toMatchObject({ plan: { items: [{ will }] }, results: [{ outcome }] });
  // Whatever leaves the queue, an event says by whom.
  const type = outcome === 'deleted' ? 'discarded' : outcome;
  expect(acts.at(-1)).toMatchObject({ type, id: letters[0]?.claimId, messageId: letters[0]?.messageId, ...maria });
  await deliver();
  expect(applied).toEqual([{ to: 'ada' }]);
  expect((await queues.depth(queues.deadLetters)).ready).toBe(0);
});

it('a dead letter whose copy was sent, and that could not be deleted, is recognised: no redrive runs its effect again', async () => {
  const { applied, operate, deliver, succeeds, redrive } = aConsumer();
  await queues.send({ to: 'ada' });
  await deliver();
  succeeds();
  const { letters } = await operate.deadLetters({ queueUrl: queues.deadLetters.url });
  await operate.resolve({ id: letters[0]?.claimId ?? '' }, 'not-applied', maria);
  const { send } = queues.functionClient;
  const failing = (command: object) =>
    command instanceof DeleteMessageCommand
      ? Promise.reject(new Error('connection reset'))
      : Reflect.apply(send, queues.functionClient, [command]);
  queues.functionClient.send = failing as typeof send;
  // Twice, before the first copy has run.
  expect(await redrive()).toMatchObject({ results: [{ outcome: 'copy-left' }] });
  expect(await redrive()).toMatchObject({ results: [{ outcome: 'copy-left' }] });
  queues.functionClient.send = send;
  await deliver();
  await deliver();
  expect(applied).toHaveLength(2);
  expect(await redrive()).toMatchObject({ plan: { items: [{ will: 'delete' }] }, results: [{ outcome: 'deleted' }] });
  await deliver();
  expect(applied).toHaveLength(2);
  expect((await queues.depth(queues.deadLetters)).ready).toBe(0);
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

it('a message that SQS moved is redriven by that key while its effect is in doubt: the copy finds the doubt', async () => {
  await queues.functionClient.send(new SendMessageCommand({ QueueUrl: queues.deadLetters.url, MessageBody: '{}' }));
  const { url: queueUrl } = queues.deadLetters;
  const store = memoryStore();
  const operate = operator({ store, aws: sdk({ sqs: queues.functionClient }), onEvent: () => undefined });
  const { letters } = await operate.deadLetters({ queueUrl, operation: 'send-email', key: messageId() });
  const id = letters[0]?.claimId ?? '';
  await store.write({ next: record({ id, status: 'released', unknownAt: someDay }), seen: undefined });
  const wanted = { from: queueUrl, to: queues.orders.url, letters, ...maria };
  const plan = await operate.planRedrive(wanted);
  expect(plan).toMatchObject({ items: [{ will: 'run' }] });
  expect(await collect(operate.redrive(plan))).toMatchObject([{ outcome: 'redriven' }]);
  const ran: unknown[] = [];
  const handler = eachMessage(
    {
      operation: 'send-email',
      store,
      key: messageId(),
      fingerprint: () => 'same',
      onAbandoned: 'park',
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: () => undefined,
    },
    ({ body }) => void ran.push(body),
  );
  await queues.deliver((event) => handler(event, context()));
  expect(ran).toEqual([]);
  expect(await store.read(id)).toMatchObject({ status: 'parked' });
});

it.each([
  ['as it is', messageId(), {}],
  ['that is hidden', messageId(), { hideKeys: hashed('a secret of the customers') }],
  ['that is too long for the id of its claim', compositeKey(messageId(), () => 'x'.repeat(2048)), {}],
])(
  'a message with ten attributes and a key %s, which may have its id, is not redriven: its copy would be another intent',
  async (_, key, hiding) => {
    const attributes = Array.from({ length: 10 }, (__, n) => [`a${n}`, { DataType: 'String', StringValue: 'x' }]);
    const { url: queueUrl } = queues.deadLetters;
    const { MessageId } = await queues.functionClient.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: '{}',
        MessageAttributes: Object.fromEntries(attributes),
      }),
    );
    const aws = sdk({ sqs: queues.functionClient });
    const store = memoryStore();
    const operate = operator({ store, aws, onEvent: () => undefined, ...hiding });
    // It was applied under the id that SQS has kept, when the message was moved.
    const applied: unknown[] = [];
    const handler = eachMessage(
      { operation: 'send-email', store, key, onAbandoned: 'park', aws, onEvent: () => undefined, ...hiding },
      ({ body }) => void applied.push(body),
    );
    await handler(sqsEvent(sqsRecord({}, { messageId: MessageId ?? '' })), context());
    expect(applied).toHaveLength(1);
    const { letters } = await operate.deadLetters({ queueUrl, operation: 'send-email', key });
    expect(letters).toMatchObject([{ claim: { status: 'completed' } }]);
    const plan = await operate.planRedrive({ from: queueUrl, to: queues.orders.url, letters, ...maria });
    await collect(operate.redrive(plan));
    await queues.deliver((event) => handler(event, context()));
    expect(applied).toHaveLength(1);
  },
);

it('a letter is not discarded where the operation hides keys, and the operator has no secret: it looks as if nothing were in doubt', async () => {
  const { url: queueUrl } = queues.deadLetters;
  await queues.functionClient.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: '{"to":"ada"}' }));
  const aws = sdk({ sqs: queues.functionClient });
  const store = memoryStore();
  const key = bodyField('to');
  const hideKeys = hashed('a secret of the customers');
  const handler = eachMessage(
    { operation: 'send-email', store, key, onAbandoned: 'park', aws, onEvent: () => undefined, hideKeys },
    () => Promise.reject(new Error('socket hang up')),
  );
  await handler(sqsEvent(sqsRecord({ to: 'ada' })), context());
  const look = async (secret: object) => {
    const operate = operator({ store, aws, onEvent: () => undefined, ...secret });
    const { letters } = await operate.deadLetters({ queueUrl, operation: 'send-email', key });
    const { items } = await operate.planDiscard({ from: queueUrl, letters, ...maria });
    return [letters[0]?.claim?.status, items[0]];
  };
  expect(await look({})).toMatchObject([undefined, { will: 'stay', whyNot: 'claim-not-known' }]);
  expect(await look({ hideKeys })).toMatchObject(['parked', { will: 'stay', whyNot: 'in-doubt' }]);
  // Where no key is hidden, a letter that never ran has no claim.
  const { letters } = await operator({ store: memoryStore(), aws, onEvent: () => undefined }).deadLetters({
    queueUrl,
    operation: 'send-email',
    key,
  });
  expect(letters).toMatchObject([{ joinedBy: 'key', claim: undefined }]);
});
