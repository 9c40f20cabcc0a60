import { checkTypes, type End, type Project, peers, typescript } from './project.ts';
import { recordText } from './record.ts';

/** The table of the programs below. */
const table = `{
  TableName: tableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
}`;

/** The laws of the two stores that every transport has. */
const laws = `const few = { races: 5, runs: 2 };
claimStoreLaws({ test, ...few, name: 'dynamoStore', open: () => dynamoStore({ tableName, aws }) });
claimStoreLaws({ test, ...few, name: 'individualDynamoStore', open: () => individualDynamoStore({ tableName, aws }) });`;

const test = (endpoint: string) => `
import assert from 'node:assert';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoStore, individualDynamoStore, sdk } from 'pawl/dynamodb';
import { dynamoLockStore } from 'pawl/locks';
import { claimStoreLaws, lockStoreLaws } from '@pawl/testing';
import { transactionalStore } from 'pawl/transactions';

Object.assign(process.env, { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'fresh', AWS_SECRET_ACCESS_KEY: 'project' });
const client = new DynamoDBClient({ endpoint: '${endpoint}' });
test.after(() => client.destroy());
const aws = sdk({ dynamodb: client });
const tableName = 'claims-' + crypto.randomUUID();
await client.send(new CreateTableCommand(${table}));

${laws}
claimStoreLaws({ test, ...few, name: 'transactionalStore', open: () => transactionalStore(dynamoStore({ tableName, aws })) });
lockStoreLaws({ test, name: 'dynamoLockStore', open: () => dynamoLockStore(dynamoStore({ tableName, aws })) });

test('a transaction that the application refuses says why', async () => {
  const write = {
    ConditionCheck: { TableName: tableName, Key: { id: 'none' }, ConditionExpression: 'attribute_exists(id)' },
  };
  const store = transactionalStore(dynamoStore({ tableName, aws }));
  const committed = await store.commit({ next: { id: 'a#b', v: 'none' }, seen: undefined }, [write]);
  assert.equal(committed.refused[0].code, 'ConditionalCheckFailed');
});

test('the client that pawl makes gives up on a table that does not respond', async () => {
  const sockets = new Set();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:' + silent.address().port;
  let timer;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, 60_000, 'it waits for ever')));
  await assert.rejects(Promise.race([dynamoStore({ tableName }).read('a'), patience]), { name: 'TimeoutError' });
  clearTimeout(timer);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
`;

/** The laws of the stores, over the AWS SDK in this version and DynamoDB Local. */
export function storesProject(end: End, endpoint: string): Project {
  const clients = ['client-dynamodb', 'client-sqs', 'util-dynamodb'].map((name) => `@aws-sdk/${name}`);
  return {
    name: `stores on DynamoDB Local, ${end} AWS SDK`,
    has: peers(end, ...clients),
    absent: ['aws-cdk-lib', 'constructs', '@middy/core'],
    files: { 'stores.test.js': test(endpoint) },
    steps: [{ args: ['--test', 'stores.test.js'] }],
  };
}

/** The laws of the lean stores, over `aws4` in this version and DynamoDB Local, and the types of such a consumer. No client of AWS is there. */
export function leanProject(end: End, endpoint: string): Project {
  return {
    name: `lean stores, ${end} aws4`,
    has: [...typescript, ...peers(end, 'aws4')],
    absent: ['@aws-sdk', '@smithy'],
    files: {
      'lean.test.js': `
import assert from 'node:assert';
import { test } from 'node:test';
import aws4 from 'aws4';
import { claimStoreLaws } from '@pawl/testing';
import { dynamoStore, individualDynamoStore, lean } from 'pawl/dynamodb/lean';
import { bodyField, eachMessage } from 'pawl/sqs';

const credentials = { accessKeyId: 'fresh', secretAccessKey: 'project' };
const aws = lean({ endpoints: { dynamodb: '${endpoint}' }, region: 'eu-west-1', credentials });
const tableName = 'claims-' + crypto.randomUUID();
const { headers, body } = aws4.sign(
  {
    service: 'dynamodb',
    region: 'eu-west-1',
    host: new URL('${endpoint}').host,
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.CreateTable' },
    body: JSON.stringify(${table}),
  },
  credentials,
);
const { Host: _, 'Content-Length': __, ...sent } = headers;
const created = await fetch('${endpoint}', { method: 'POST', headers: sent, body });
assert.equal(created.status, 200, await created.text());

${laws}

test('a consumer runs a message once', async () => {
  const ran = [];
  const handler = eachMessage(
    {
      operation: 'fresh',
      store: dynamoStore({ tableName, aws }),
      key: bodyField('id'),
      onAbandoned: 'retry',
    },
    ({ body }) => ran.push(body.id),
  );
  const record = ${recordText("'m'", `'{"id":"one"}'`)};
  const context = { getRemainingTimeInMillis: () => 30_000 };
  for (const _ of [1, 2]) assert.deepEqual((await handler({ Records: [record] }, context)).batchItemFailures, []);
  assert.deepEqual(ran, ['one']);
});
`,
      'lean.ts': `
import { dynamoStore } from 'pawl/dynamodb/lean';
import { dynamoLockStore, forEachItem, resourceLocks } from 'pawl/locks';
import { operator } from 'pawl/operate';
import { bodyField, eachMessage, sendOnce } from 'pawl/sqs';
import { eachTransaction, transactionalStore } from 'pawl/transactions';

const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
const key = bodyField('id');
interface Mail {
  readonly id: string;
}
export const handler = eachMessage<Mail>({ operation: 'mail', store, key, onAbandoned: 'park' }, ({ body }) => console.log(body.id));
export const post = eachTransaction<Mail>({ operation: 'post', store: transactionalStore(store), key }, ({ body }) => [
  { Put: { TableName: 'ledger', Item: body } },
]);
export const locks = resourceLocks({ store: dynamoLockStore(store) });
export const others = [sendOnce({ operation: 'bill', store, queueUrl: 'https://sqs' }), operator({ store }), forEachItem];
`,
    },
    steps: [
      { args: ['--test', 'lean.test.js'] },
      { args: [...checkTypes.args, '--skipLibCheck', 'false'], ignores: /^node_modules\/(?!pawl\/)/ },
    ],
  };
}

/** A payload in S3, by the AWS SDK's client in this version and a stand-in for S3. */
export function payloadsProject(end: End): Project {
  return {
    name: `payloads in S3, ${end} AWS SDK`,
    has: peers(end, '@aws-sdk/client-s3', '@aws-sdk/client-sqs'),
    absent: ['aws-cdk-lib', 'constructs', '@middy/core'],
    files: {
      'payload.js': `
import { createServer } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { memoryStore } from 'pawl';
import { largePayload } from 'pawl/s3';
import { bodyField, eachMessage } from 'pawl/sqs';

const s3 = createServer((_, response) => response.end(JSON.stringify({ orderId: 'order-17' })));
await new Promise((resolve) => s3.listen(0, '127.0.0.1', resolve));
const s3Client = new S3Client({
  endpoint: 'http://127.0.0.1:' + s3.address().port,
  forcePathStyle: true,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'fresh', secretAccessKey: 'project' },
});
const handler = eachMessage(
  {
    operation: 'send-email',
    store: memoryStore(),
    envelope: largePayload({ s3Client, buckets: ['payloads'] }),
    key: bodyField('orderId'),
    onAbandoned: 'park',
  },
  async ({ body }) => console.log(body.orderId),
);
const body = JSON.stringify(['software.amazon.payloadoffloading.PayloadS3Pointer', { s3BucketName: 'payloads', s3Key: 'a' }]);
const record = ${recordText("'m'", 'body')};
await handler({ Records: [record] }, { getRemainingTimeInMillis: () => 30_000 });
s3Client.destroy();
s3.close();
`,
    },
    steps: [{ args: ['payload.js'], prints: 'order-17' }],
  };
}

/** The command line, with the clients that it needs. */
export function doctorProject(end: End): Project {
  return {
    name: `doctor, ${end} AWS SDK`,
    has: peers(
      end,
      ...['cloudformation', 'cloudwatch', 'dynamodb', 'iam', 'lambda', 'sqs'].map((name) => `@aws-sdk/client-${name}`),
    ),
    runs: ['@pawl/cli'],
    absent: ['aws-cdk-lib', 'constructs', '@middy/core'],
    files: {
      'doctor.js': `
import { spawnSync } from 'node:child_process';

const run = (...args) => spawnSync('node_modules/.bin/pawl', args, { encoding: 'utf8', env: { ...process.env, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' } });
const help = run('doctor', '--help').stdout.split('\\n').find((line) => line.startsWith('Usage'));
// With no AWS to be reached, it has loaded its clients, and says what failed.
const asked = run('doctor', 'Mails');
console.log([help, asked.status, /ECONNREFUSED/.test(asked.stderr)].join());
`,
      'console.js': `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

// Stands for a table without items: the console asks whether it was restored.
const aws = createServer((_, response) => response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}')).listen(0, '127.0.0.1');
await once(aws, 'listening');
const env = { ...process.env, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:' + aws.address().port, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
const served = spawn('node_modules/.bin/pawl', ['console', '--table', 'claims'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(served.stdout.setEncoding('utf8'), 'data');
const { status } = await fetch(line.trim());
served.kill('SIGINT');
await once(served, 'exit');
aws.closeAllConnections();
aws.close();
console.log('the console is served: ' + status);
`,
    },
    steps: [
      { args: ['doctor.js'], prints: 'Usage: pawl doctor <stack or function> [options],2,true' },
      { args: ['console.js'], prints: 'the console is served: 200' },
    ],
  };
}
