import { type End, type Project, peers } from './project.ts';

const test = (endpoint: string) => `
import assert from 'node:assert';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoStore, individualDynamoStore } from 'pawl/dynamodb';
import { dynamoLockStore } from 'pawl/locks';
import { claimStoreLaws, lockStoreLaws } from 'pawl/testing';
import { transactionalStore } from 'pawl/transactions';

Object.assign(process.env, { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'fresh', AWS_SECRET_ACCESS_KEY: 'project' });
const client = new DynamoDBClient({ endpoint: '${endpoint}' });
test.after(() => client.destroy());
const tableName = 'claims-' + crypto.randomUUID();
await client.send(
  new CreateTableCommand({
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  }),
);

const few = { races: 5, runs: 2 };
claimStoreLaws({ test, ...few, name: 'dynamoStore', open: () => dynamoStore({ tableName, client }) });
claimStoreLaws({ test, ...few, name: 'individualDynamoStore', open: () => individualDynamoStore({ tableName, client }) });
claimStoreLaws({ test, ...few, name: 'transactionalStore', open: () => transactionalStore({ tableName, client }) });
lockStoreLaws({ test, name: 'dynamoLockStore', open: () => dynamoLockStore({ tableName, client }) });

test('a transaction that the application refuses says why', async () => {
  const write = {
    ConditionCheck: { TableName: tableName, Key: { id: 'none' }, ConditionExpression: 'attribute_exists(id)' },
  };
  const store = transactionalStore({ tableName, client });
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
  const clients = ['client-dynamodb', 'client-sqs', 'lib-dynamodb', 'util-dynamodb'].map((name) => `@aws-sdk/${name}`);
  return {
    name: `stores on DynamoDB Local, ${end} AWS SDK`,
    has: peers(end, ...clients),
    absent: ['aws-cdk-lib', 'constructs', '@middy/core'],
    files: { 'stores.test.js': test(endpoint) },
    steps: [{ args: ['--test', 'stores.test.js'] }],
  };
}

/** The command line, with the clients that it needs. */
export function doctorProject(end: End): Project {
  return {
    name: `doctor, ${end} AWS SDK`,
    has: peers(end, ...['cloudformation', 'dynamodb', 'iam', 'lambda', 'sqs'].map((name) => `@aws-sdk/client-${name}`)),
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
    },
    steps: [{ args: ['doctor.js'], prints: 'Usage: pawl doctor <stack or function> [options],2,true' }],
  };
}
