import { DeleteMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { bodyField, deadLetterQueue, eachMessage, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/** A mail whose first attempt failed without saying what it had done: parked, and its message dead-lettered. */
async function parkedMail() {
  const client = localClient(inject('dynamoEndpoint'));
  const store = dynamoStore({ tableName: await claimsTable(client), aws: sdk({ dynamodb: client }) });
  const mails: string[] = [];
  let fails = true;
  const handler = eachMessage<{ orderId: string }>(
    {
      operation: 'send-email',
      store,
      key: bodyField('orderId'),
      onAbandoned: 'park',
      deadLetters: deadLetterQueue(queues.deadLetters.url),
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: () => undefined,
    },
    ({ body }) => {
      if (fails) throw new Error('socket hang up');
      mails.push(body.orderId);
    },
  );
  const deliver = () => queues.deliver((event: SqsEvent) => handler(event, context()));
  const sent = await queues.send({ orderId: 'o-1' });
  expect(await deliver()).toEqual({ received: 1, failed: [] });
  fails = false;

  /** What `StartMessageMoveTask` does: the same body, in the main queue, under a new id. */
  async function redrive(): Promise<void> {
    const { Records } = await queues.receive(queues.deadLetters);
    const [dead] = Records;
    if (dead === undefined) throw new Error('there is nothing to redrive');
    const { functionClient: sqs } = queues;
    const again = await sqs.send(new SendMessageCommand({ QueueUrl: queues.orders.url, MessageBody: dead.body }));
    expect(again.MessageId).not.toBe(sent);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: queues.deadLetters.url, ReceiptHandle: dead.receiptHandle }));
  }

  const parked = resolverOf({ operation: 'send-email', store });
  return { parked, deliver, redrive, mails, stop: () => client.destroy() };
}

let queues: Awaited<ReturnType<typeof startQueues>>;
let mail: Awaited<ReturnType<typeof parkedMail>>;
beforeEach(async () => {
  queues = await startQueues();
  mail = await parkedMail();
});
afterEach(async () => {
  mail.stop();
  await queues.stop();
});

const byMaria = { by: 'maria', note: 'asked the customer' };

describe('a parked message that is redriven from the dead-letter queue, under a new message id', () => {
  it('resolved as retry: is done, once', async () => {
    await mail.parked.resolve('o-1', 'retry', byMaria);
    await mail.redrive();
    expect(await mail.deliver()).toEqual({ received: 1, failed: [] });
    await queues.send({ orderId: 'o-1' });
    expect(await mail.deliver()).toEqual({ received: 1, failed: [] });
    expect(mail.mails).toEqual(['o-1']);
    expect(await mail.parked.read('o-1')).toMatchObject({
      status: 'completed',
      resolution: { verdict: 'retry', ...byMaria },
    });
  });

  it('resolved as applied: is acknowledged, and does not run', async () => {
    await mail.parked.resolve('o-1', 'applied', byMaria);
    await mail.redrive();
    expect(await mail.deliver()).toEqual({ received: 1, failed: [] });
    expect(mail.mails).toEqual([]);
    expect(await queues.depth(queues.deadLetters)).toMatchObject({ ready: 0, inFlight: 0 });
  });

  it('not resolved: goes back to the dead-letter queue, and does not run', async () => {
    await mail.redrive();
    expect(await mail.deliver()).toEqual({ received: 1, failed: [] });
    expect(mail.mails).toEqual([]);
    const { Records } = await queues.receive(queues.deadLetters);
    expect(Records).toMatchObject([{ messageAttributes: { 'pawl-reason': { stringValue: 'parked' } } }]);
  });
});
