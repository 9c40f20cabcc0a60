import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type ClaimEvent, RejectedError } from '../../lib/pawl/index.ts';
import { decide } from '../../lib/pawl/rules/decide.ts';
import type { ClaimStore } from '../../lib/pawl/rules/store.ts';
import { bodyField, deadLetterQueue, eachMessage, type SqsEvent } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { type SqsLocal, startSqsLocal } from '../../lib/rehearsal/engine/servers/sqs-local.ts';
import { toSqsEvent } from '../../lib/rehearsal/services/sqs/sqs-event.ts';
import { context } from './lambda.ts';
import { receiveAll } from './receive-all.ts';
import { rules } from './records.ts';
import { claimsTable, localClient } from './tables.ts';

export interface IncidentOptions {
  /** Where DynamoDB Local listens. */
  readonly dynamoEndpoint: string;
  /** @default 40 */
  readonly mails?: number;
  /** @default 10 */
  readonly orders?: number;
  /** Listens to the consumers. */
  readonly onEvent?: (event: ClaimEvent) => void;
}

/** The operations of the incident. */
export const mailing = 'send-email';
export const ordering = 'place-order';

/**
 * An incident, as it is at three in the morning: workers were killed while they sent mails, and a shop refused orders. The mails are parked, the orders
 * rejected, and the messages of all of them are in the dead-letter queues `mails-dlq` and `orders-dlq`.
 *
 * Everything is real but the kills: the consumers ran over DynamoDB Local and an SQS server, and found the claims of workers that never came back.
 */
export async function startIncident({
  dynamoEndpoint,
  mails = 40,
  orders = 10,
  onEvent = () => undefined,
}: IncidentOptions) {
  const dynamo = localClient(dynamoEndpoint);
  const tableName = await claimsTable(dynamo);
  const store = dynamoStore({ tableName, aws: sdk({ dynamodb: dynamo }) });
  const sqs = await startSqsLocal();
  // As a function's own client: its endpoint is set, and the URL of a queue is not one.
  const client = new SQSClient({
    endpoint: sqs.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  const mailQueues = await queuesOf(sqs, 'mails');
  const orderQueues = await queuesOf(sqs, 'orders');
  /** Every mail that was sent since the incident, by its order. */
  const sent: string[] = [];
  const silent = { store, key: bodyField('orderId'), aws: sdk({ sqs: client }), onEvent };
  const sendMail = eachMessage<{ orderId: string }>(
    {
      ...silent,
      operation: mailing,
      onAbandoned: 'park',
      deadLetters: deadLetterQueue(mailQueues.deadLetters.url),
    },
    ({ body }) => {
      sent.push(body.orderId);
    },
  );
  const placeOrder = eachMessage<{ orderId: string }>(
    {
      ...silent,
      operation: ordering,
      onAbandoned: 'retry',
      deadLetters: deadLetterQueue(orderQueues.deadLetters.url),
    },
    () => {
      throw new RejectedError('the card is blocked');
    },
  );

  const mailKeys = Array.from({ length: mails }, (_, index) => `order-${index + 1}`);
  const orderKeys = Array.from({ length: orders }, (_, index) => `order-${index + 1}`);
  await Promise.all(mailKeys.map((key) => killedWorker(store, `${mailing}#${key}`)));
  await sendAll(client, mailQueues.queue.url, mailKeys);
  await sendAll(client, orderQueues.queue.url, orderKeys);
  const consume = async (queue: { readonly url: string; readonly arn: string }, handler: Handler) => {
    await receiveAll(client, queue.url, (messages) => handler(toSqsEvent(messages, queue.arn), context()));
  };
  await consume(mailQueues.queue, sendMail);
  await consume(orderQueues.queue, placeOrder);

  return {
    dynamo,
    tableName,
    store,
    sqs,
    client,
    mails: mailQueues,
    orders: orderQueues,
    mailKeys,
    orderKeys,
    sent,
    /** Lets the consumer of mails work until its queue is empty. */
    deliverMails: () => consume(mailQueues.queue, sendMail),
    async stop(): Promise<void> {
      client.destroy();
      dynamo.destroy();
      await sqs.stop();
    },
  };
}

type Handler = (event: SqsEvent, context: ReturnType<typeof import('./lambda.ts').context>) => Promise<unknown>;

async function queuesOf(sqs: SqsLocal, name: string) {
  const deadLetters = await sqs.createQueue(`${name}-dlq`);
  const queue = await sqs.createQueue(name, {
    VisibilityTimeout: '60',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: 5 }),
  });
  return { queue, deadLetters };
}

/** What a worker that was killed an hour ago has left: its claim, whose lease is over, and no outcome. */
async function killedWorker(store: ClaimStore, id: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  const decided = decide(undefined, { id, claimId: `killed-${id}`, leaseUntil: anHourAgo + 30_000 }, rules, anHourAgo);
  if (decided.write === undefined) throw new Error(`there is a claim of ${id} already`);
  await store.write(decided.write);
}

async function sendAll(client: SQSClient, QueueUrl: string, keys: readonly string[]): Promise<void> {
  const calls = Map.groupBy(keys, (_, index) => Math.floor(index / 10));
  for (const together of calls.values()) {
    const Entries = together.map((orderId) => ({ Id: orderId, MessageBody: JSON.stringify({ orderId }) }));
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
}
