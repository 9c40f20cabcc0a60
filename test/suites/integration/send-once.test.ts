import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import {
  eachMessage,
  entityKey,
  type Outgoing,
  requestKey,
  type SqsEvent,
  sendOnce,
  sentKey,
} from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { type SqsLocal, startSqsLocal } from '../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

let dynamo: DynamoDBClient;
let tableName: string;
let queues: Awaited<ReturnType<typeof startQueues>>;
let fifo: SqsLocal;
beforeAll(async () => {
  dynamo = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(dynamo);
  queues = await startQueues();
  fifo = await startSqsLocal();
});
afterAll(async () => {
  await queues.stop();
  await fifo.stop();
  dynamo.destroy();
});

/** Where a producer dies: before or after its so many-th request to DynamoDB or SQS was applied. */
interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

const never = () => new Promise<never>(() => undefined);

/**
 * A run of a producer, so many milliseconds late. Answers how it ended, and how many requests it made. A dead one never gets another answer, and its
 * timers never go off.
 */
async function runProducer(
  message: Outgoing,
  lateMs: number,
  death?: Death,
  queue: { url: string; client?: SqsLocal } = queues.orders,
) {
  const died = Promise.withResolvers<'died'>();
  let dead = false;
  let requests = 0;
  function die(): Promise<never> {
    dead = true;
    died.resolve('died');
    return never();
  }
  function mortal<Client extends DynamoDBClient | SQSClient>(client: Client): Client {
    (client as SQSClient).middlewareStack.add(
      (next) => async (args) => {
        if (dead) return never();
        const dies = ++requests === death?.at ? death.when : undefined;
        if (dies === 'before') return die();
        const answer = next(args);
        // A refusal is an answer as well.
        await answer.catch(() => undefined);
        return dies === 'after' || dead ? die() : answer;
      },
      { step: 'deserialize', name: 'mortal', priority: 'high' },
    );
    return client;
  }
  const own = mortal(localClient(inject('dynamoEndpoint')));
  const sqsClient = mortal(
    new SQSClient({
      endpoint: new URL(queue.url).origin,
      region: 'us-east-1',
      credentials: { accessKeyId: 'producer', secretAccessKey: 'local' },
      useQueueUrlAsEndpoint: false,
    }),
  );
  const send = sendOnce({
    operation: 'bill',
    store: dynamoStore({ tableName, aws: sdk({ dynamodb: own }) }),
    queueUrl: queue.url,
    aws: sdk({ sqs: sqsClient }),
    onEvent: () => undefined,
    host: {
      ...nodeHost,
      now: () => Date.now() + lateMs,
      after: (ms, callback) => nodeHost.after(ms, () => dead || callback()),
    },
  });
  const ended = await Promise.race([died.promise, send(message).then(({ outcome }) => outcome)]);
  own.destroy();
  sqsClient.destroy();
  return { ended, requests };
}

const effects = new Map<string, number>();

/** Delivers all that is in the queue to a consumer whose key is the producer's. Answers how many messages that were. */
async function consume(): Promise<number> {
  const handler = eachMessage<{ customer: string }>(
    {
      operation: 'bill',
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: dynamo }) }),
      key: sentKey(),
      onAbandoned: 'park',
      aws: sdk({ sqs: queues.functionClient }),
      onEvent: () => undefined,
    },
    ({ body: { customer } }) => {
      effects.set(customer, (effects.get(customer) ?? 0) + 1);
    },
  );
  for (let all = 0; ; ) {
    const { received, failed } = await queues.deliver((event: SqsEvent) => handler(event, context(20_000)));
    expect(failed).toEqual([]);
    if (received === 0) return all;
    all += received;
  }
}

const afterLeaseMs = 12_000;
const deathsWithin = (requests: number) =>
  Array.from({ length: requests }, (_, index) => index + 1).flatMap((at): Death[] => [
    { at, when: 'before' },
    { at, when: 'after' },
  ]);

it('a producer makes three requests: it keeps the key, sends, and records that it has', async () => {
  const message = { key: entityKey('bill', 'plain'), body: { customer: 'plain' } };
  expect(await runProducer(message, 0)).toEqual({ ended: 'sent', requests: 3 });
  // Run again: it asks for the key, and sends nothing.
  expect(await runProducer(message, 0)).toEqual({ ended: 'sent', requests: 1 });
});

it('killed at every point, killed again at every point, and run again: one effect per intent', async () => {
  const customers: string[] = [];
  for (const first of deathsWithin(3)) {
    // Kept by nobody, it is kept, sent and recorded; kept by the dead, it is looked at first; recorded, that is all.
    const requests = first.at === 1 && first.when === 'before' ? 3 : first.at === 3 && first.when === 'after' ? 1 : 4;
    for (const second of [undefined, ...deathsWithin(requests)]) {
      const customer = `c-${customers.length}`;
      customers.push(customer);
      // As a job that makes its keys anew in each run, and says what they are for.
      const message = () => ({ key: requestKey(), intent: customer, body: { customer } });
      expect((await runProducer(message(), 0, first)).ended).toBe('died');
      const run = await runProducer(message(), afterLeaseMs, second);
      expect(run).toEqual(second ? { ended: 'died', requests: second.at } : { ended: 'sent', requests });
      expect((await runProducer(message(), 2 * afterLeaseMs)).ended).toBe('sent');
    }
  }
  // Some were put into the queue twice, or there was nothing to see.
  expect(await consume()).toBeGreaterThan(customers.length);
  expect(customers).toHaveLength(46);
  expect(customers.filter((customer) => effects.get(customer) !== 1)).toEqual([]);
});

it('a FIFO queue drops the second message of a producer that died with its first in the queue', async () => {
  const queue = await fifo.createQueue('bills.fifo', { FifoQueue: 'true' });
  const message = { key: entityKey('bill', 'fifo'), body: { customer: 'fifo' }, messageGroupId: 'fifo' };
  expect((await runProducer(message, 0, { at: 2, when: 'after' }, queue)).ended).toBe('died');
  expect(await runProducer(message, afterLeaseMs, undefined, queue)).toMatchObject({ ended: 'sent' });
  const { Messages = [] } = await fifo.client.send(
    new ReceiveMessageCommand({ QueueUrl: queue.url, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
  );
  expect(Messages).toHaveLength(1);
  expect(Messages[0]?.MessageAttributes?.['idempotency-key']?.StringValue).toBe(message.key);
});
