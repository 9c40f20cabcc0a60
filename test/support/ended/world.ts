import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { dynamoOutbox } from '../../../lib/pawl/outbox/index.ts';
import { ownLane } from '../../../lib/pawl/outbox/record.ts';
import type { ClaimRecord } from '../../../lib/pawl/rules/record.ts';
import { successor } from '../../../lib/pawl/rules/successor.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { SqsLocal } from '../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { record } from '../records.ts';
import { claimsTable, outboxTable as createOutboxTable, localClient } from '../tables.ts';

/** A table and a dead-letter queue of their own for one run of a command. */
export type World = Awaited<ReturnType<typeof makeWorld>>;

export const operation = 'send-email';

/** @param endpoint of DynamoDB Local */
export async function makeWorld(endpoint: string, sqs: SqsLocal) {
  const dynamo = localClient(endpoint);
  const tableName = await claimsTable(dynamo);
  const aws = sdk({ dynamodb: dynamo });
  const store = dynamoStore({ tableName, aws });
  const outboxTable = await createOutboxTable(dynamo);
  const outbox = dynamoOutbox({ tableName: outboxTable, aws });
  const folder = mkdtempSync(join(tmpdir(), 'pawl-ended-'));
  const name = `w-${randomUUID()}`;
  const dead = await sqs.createQueue(`${name}-dlq`);
  const queue = await sqs.createQueue(name, {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 5 }),
  });
  const client = new SQSClient({
    endpoint: sqs.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  const bodies = async (which: string) => (await sqs.messages(which)).map(({ body }) => body).toSorted();
  return {
    tableName,
    outboxTable,
    store,
    dynamo,
    dead,
    queue,
    keys: [] as string[],
    /** For files of its own. */
    folder,
    id: (key: string) => `${operation}#${key}`,
    /** A claim, and its dead letter. */
    async letter(key: string, claim: Partial<ClaimRecord>): Promise<void> {
      this.keys.push(key);
      await this.claim(key, claim);
      await client.send(
        new SendMessageCommand({
          QueueUrl: dead.url,
          MessageBody: key,
          MessageAttributes: { 'pawl-claim': { DataType: 'String', StringValue: `${operation}#${key}` } },
        }),
      );
    },
    /** A claim that is in the index if it is open. */
    async claim(key: string, claim: Partial<ClaimRecord>): Promise<void> {
      const next = record({ id: `${operation}#${key}`, leaseUntil: Date.now() - 60_000, ...claim });
      await store.write({ next: successor(next, next), seen: undefined });
    },
    /** A message that is parked in the outbox, with this text in all that is shown of it. */
    async message(key: string): Promise<void> {
      const committed = { uid: key, to: `https://${key}`, key, body: '{}', committedAt: Date.now(), v: 1 };
      const Item = marshall({ id: ownLane(key), n: 1, ...committed, parked: { name: key, message: key } });
      await dynamo.send(new PutItemCommand({ TableName: outboxTable, Item }));
    },
    messages: async () => (await outbox.store.list()).messages,
    deadBodies: () => bodies(`${name}-dlq`),
    queuedBodies: () => bodies(name),
    hidden: async () => (await sqs.depth(`${name}-dlq`)).inFlight,
    /** The time goes by for which messages are hidden. */
    async reveal(): Promise<void> {
      const inspected = await fetch(`${sqs.endpoint}/_fauxqs/queues/${name}-dlq`);
      const { messages } = (await inspected.json()) as {
        readonly messages: { readonly inflight: readonly { readonly receiptHandle: string }[] };
      };
      for (const { receiptHandle: ReceiptHandle } of messages.inflight) {
        await client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl: dead.url, ReceiptHandle, VisibilityTimeout: 0 }),
        );
      }
    },
    stop() {
      rmSync(folder, { recursive: true });
      client.destroy();
      dynamo.destroy();
    },
  };
}
