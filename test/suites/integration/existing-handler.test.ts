import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { context } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * Batch handlers as people write them, without a thought of pawl. They share a mailbox; `failing` says whose mail the
 * mail server refuses this time.
 */
const mailbox: string[] = [];
const failing = new Set<string>();

async function sendMail(record: SQSRecord): Promise<void> {
  const { orderId } = JSON.parse(record.body);
  if (failing.has(orderId)) throw new Error('mail server unavailable');
  mailbox.push(orderId);
}

const existing = {
  'PromiseSettledResult[]': (event: SQSEvent) => Promise.allSettled(event.Records.map(sendMail)),

  '{ batchItemFailures }': async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const record of event.Records) {
      try {
        await sendMail(record);
      } catch {
        batchItemFailures.push({ itemIdentifier: record.messageId });
      }
    }
    return { batchItemFailures };
  },

  nothing: async (event: SQSEvent): Promise<void> => {
    for (const record of event.Records) await sendMail(record).catch(() => undefined);
  },

  'a throw': async (event: SQSEvent): Promise<void> => {
    for (const record of event.Records) await sendMail(record);
  },
};

let client: DynamoDBClient;
let tableName: string;
beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(client);
});
afterAll(() => client.destroy());

describe.each(Object.entries(existing))(
  'an existing handler that answers with %s, wrapped by one line',
  (style, handle) => {
    it('sends each mail once, though every message is sent twice and one mail fails at first', async () => {
      const queues = await startQueues();
      try {
        mailbox.length = 0;
        const prefix = style.replace(/\W/g, '');
        const [a, b, c] = [`${prefix}-a`, `${prefix}-b`, `${prefix}-c`];
        const handler = middy(handle as (event: SQSEvent) => Promise<unknown>, { timeoutEarlyInMillis: 0 }).use(
          sqsOnce({
            operation: 'send-email',
            store: dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
            key: bodyField('orderId'),
            onAbandoned: 'retry',
            aws: sdk({ sqs: queues.functionClient }),
            onEvent: () => undefined,
          }),
        );
        const deliver = () =>
          queues.deliver((event: SqsEvent) => handler(event as SQSEvent, context() as Context) as Promise<unknown>);

        // `c` first, so that the throwing handler fails before it has sent anything: what it had sent, it would send again.
        failing.add(c);
        for (const orderId of [c, a, b]) await queues.send({ orderId });
        const first = await deliver();
        const expectedFailures = { nothing: 0, 'a throw': 3 }[style] ?? 1;
        expect(first).toMatchObject({ received: 3, failed: { length: expectedFailures } });

        failing.clear();
        for (const orderId of [a, b, c]) await queues.send({ orderId });
        expect(await deliver()).toMatchObject({ received: 3, failed: [] });

        // A handler that swallows its error and says nothing has said that all is well: pawl believes it.
        expect(mailbox.sort()).toEqual(style === 'nothing' ? [a, b] : [a, b, c]);
        expect(await queues.depth(queues.orders)).toMatchObject({ ready: 0, inFlight: expectedFailures });
      } finally {
        await queues.stop();
      }
    });
  },
);
