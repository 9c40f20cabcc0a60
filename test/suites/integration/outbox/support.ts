import { createServer } from 'node:http';
import { DescribeTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { inject, onTestFinished } from 'vitest';
import { type DynamoOutboxOptions, dynamoOutbox, outboxRelay, queues } from '../../../../lib/pawl/outbox/index.ts';
import { eachMessage, type SqsEvent, sentKey } from '../../../../lib/pawl/sqs/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { transactionalStore } from '../../../../lib/pawl/transactions/index.ts';
import { readBody } from '../../../../lib/rehearsal/engine/http.ts';
import { startSqsLocal } from '../../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { toSqsEvent } from '../../../../lib/rehearsal/services/sqs/sqs-event.ts';
import {
  type StreamRecord,
  streamClient,
  TrimmedError,
} from '../../../../lib/rehearsal/services/streams/stream-client.ts';
import { context } from '../../../support/lambda.ts';
import { claimsTable, localClient, outboxTable } from '../../../support/tables.ts';
import { setUp } from '../../scenarios/support.ts';
import { listening, startBus } from './bus.ts';

/** An SQS server of its own, with a standard and a FIFO queue, an event bus with a queue behind it, and a provider. */
export async function startDestinations() {
  const sqs = await startSqsLocal();
  onTestFinished(() => sqs.stop());
  const receipts = await sqs.createQueue('receipts');
  const changes = await sqs.createQueue('changes.fifo', { FifoQueue: 'true' });
  const points = await sqs.createQueue('points');
  const bus = await startBus((event) =>
    sqs.client.send(new SendMessageCommand({ QueueUrl: points.url, MessageBody: event })),
  );
  return { sqs, receipts, changes, points, bus, provider: await startProvider() };
}

/** What consumers ask for their effect: once for each key. */
async function startProvider() {
  const applied = new Map<string, unknown>();
  const server = createServer(async (request, response) => {
    const key = request.headers['idempotency-key'];
    const body = await readBody(request).catch(() => undefined);
    // The start of another server may look at a port that it has lost, without a key or a body; and of a killed consumer half of a request may come.
    const isAsked = typeof key === 'string' && body !== undefined && request.complete;
    if (isAsked && !applied.has(key)) applied.set(key, JSON.parse(String(body)));
    response.end();
  });
  return { endpoint: await listening(server), applied };
}

export type QueueName = 'receipts' | 'changes.fifo' | 'points';

/** Claims, data, an outbox and queues. */
export async function setUpOutbox(
  options: Partial<DynamoOutboxOptions> = {},
  shown: Parameters<typeof outboxTable>[1] = 'KEYS_ONLY',
) {
  const scenario = await setUp();
  const destinations = await startDestinations();
  const endpoint = inject('dynamoEndpoint');
  const client = localClient(endpoint);
  onTestFinished(() => client.destroy());
  const ledger = await claimsTable(client);
  const tableName = await outboxTable(client, shown);
  const requests: string[] = [];
  const watched = watchedClient(endpoint, requests);
  const aws = sdk({ dynamodb: watched, sqs: destinations.sqs.client });
  const store = transactionalStore(dynamoStore({ tableName: scenario.tableName, aws }));
  const documents = DynamoDBDocumentClient.from(client);
  const shared = {
    tableName,
    aws,
    destinations: [queues({ aws })],
    onEvent: (event: Parameters<NonNullable<DynamoOutboxOptions['onEvent']>>[0]) => void scenario.events.push(event),
  };
  const outbox = dynamoOutbox({ ...shared, ...options });
  const relay = outboxRelay({ outbox: dynamoOutbox(shared), onReport: () => undefined });

  return {
    ...scenario,
    ...destinations,
    client,
    watched,
    ledger,
    outboxTable: tableName,
    shared,
    store,
    requests,
    outbox,
    message: outbox.message,
    relay,
    /** What lies in the outbox, without its counters, in the order of their numbers. */
    waiting: async () => (await scan(client, tableName)).filter(({ n }) => n > 0).toSorted((a, b) => a.n - b.n),
    /** Everything that was ever written to the outbox, as the relay's stream has it. */
    stream: () => tailOf(client, endpoint, tableName)(),
    /** Hands the whole stream to the relay. */
    async relayAll() {
      return relay({ Records: await tailOf(client, endpoint, tableName)() }, context());
    },
    entry: async (id: string) =>
      (await documents.send(new GetCommand({ TableName: ledger, Key: { id }, ConsistentRead: true }))).Item,
    put: (id: string) => ({ Put: { TableName: ledger, Item: { id } } }),
    sent: async (name: QueueName) => (await destinations.sqs.messages(name)).map(({ body }) => JSON.parse(body)),
  };
}

/** A client that notes the names of its commands. */
function watchedClient(endpoint: string, requests: string[]): DynamoDBClient {
  const client = localClient(endpoint);
  onTestFinished(() => client.destroy());
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push(String(commandName));
        return next(args);
      },
    { step: 'finalizeRequest', name: 'countRequests' },
  );
  return client;
}

interface Lying {
  readonly id: string;
  readonly n: number;
  readonly key: string;
  readonly parked: unknown;
}

async function scan(client: DynamoDBClient, TableName: string): Promise<readonly Lying[]> {
  const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
    new ScanCommand({ TableName, ConsistentRead: true }),
  );
  return Items.map(({ id, n, key, parked }) => ({
    id: String(id?.S),
    n: Number(n?.N),
    key: String(key?.S),
    parked: parked?.M,
  }));
}

/** What a stream has had since the last call, from its beginning on. */
export function tailOf(client: DynamoDBClient, endpoint: string, TableName: string) {
  const streams = streamClient(endpoint);
  /** The last record that was read of each shard. */
  const read = new Map<string, string>();

  async function readOn(all: StreamRecord[]): Promise<void> {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const arn = String(Table?.LatestStreamArn);
    for (const shard of await streams.shards(arn)) {
      const sequenceNumber = read.get(shard);
      const from =
        sequenceNumber === undefined ? ({ kind: 'oldest' } as const) : { kind: 'after' as const, sequenceNumber };
      let iterator: string | undefined = await streams.iterator(arn, shard, from);
      // An open shard has no end: an empty read is the end of what is there.
      while (iterator !== undefined) {
        const { records, next }: Awaited<ReturnType<typeof streams.read>> = await streams.read(iterator, 1000);
        all.push(...records);
        const last = records.at(-1);
        if (last !== undefined) read.set(shard, last.dynamodb.SequenceNumber);
        iterator = last === undefined ? undefined : next;
      }
    }
  }

  return async function tail(): Promise<readonly StreamRecord[]> {
    const all: StreamRecord[] = [];
    for (;;) {
      try {
        await readOn(all);
        return all;
      } catch (error) {
        // A shard has had its first record meanwhile; or the server had not the time for an answer.
        const passes = error instanceof TrimmedError || (error instanceof Error && error.name === 'TimeoutError');
        if (!passes) throw error;
      }
    }
  };
}

/** A batch of a queue, as Lambda hands it over. */
export async function receivedFrom(client: SQSClient, { url, arn }: { readonly url: string; readonly arn: string }) {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return toSqsEvent(Messages, arn);
}

/** What a consumer with `sentKey()` runs its handler for. */
export async function consume(
  world: Pick<Awaited<ReturnType<typeof setUpOutbox>>, 'client' | 'sqs'> & {
    readonly shared: Pick<DynamoOutboxOptions, 'aws'>;
  },
  queue: { readonly url: string; readonly arn: string },
): Promise<readonly unknown[]> {
  const bodies: unknown[] = [];
  const handler = eachMessage<unknown>(
    {
      operation: 'mail',
      store: dynamoStore({ tableName: await claimsTable(world.client), aws: world.shared.aws }),
      key: sentKey(),
      onAbandoned: 'park',
      onEvent: () => undefined,
    },
    async ({ body }) => void bodies.push(body),
  );
  await deliver(world.sqs.client, queue, (event) => handler(event, context()));
  return bodies;
}

/** Hands over what is in a queue, batch by batch, until nothing is left. */
export async function deliver(
  client: SQSClient,
  queue: { readonly url: string; readonly arn: string },
  take: (event: SqsEvent) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const event = await receivedFrom(client, queue);
    if (event.Records.length === 0) return;
    await take(event);
    for (const { receiptHandle } of event.Records) {
      await client.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle: receiptHandle }));
    }
  }
}
