import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { dynamoLockStore, resourceLocks } from '../../../lib/pawl/locks/index.ts';
import type { SqsHandler } from '../../../lib/pawl/sqs/each-by.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { startTap, type Tap, type TapCall, type TapVerdict } from '../../../lib/rehearsal/engine/servers/tap.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { record } from '../../support/records.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const client = localClient(inject('dynamoEndpoint'));
const documents = DynamoDBDocumentClient.from(client);
const debtsTable = `debts-${randomUUID()}`;
const keepSeconds = 240;
let tableName: string;
let tap: Tap;
let handler: SqsHandler;
/** What becomes of the function's reads of debts. */
let onDebtsRead: TapVerdict = 'pass';

beforeAll(async () => {
  tableName = await claimsTable(client);
  await client.send(
    new CreateTableCommand({
      TableName: debtsTable,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'debtId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'debtId', KeyType: 'HASH' }],
    }),
  );
  const isDebtsRead = ({ operation, body }: TapCall) => operation === 'BatchGetItem' && body.includes(debtsTable);
  const onResponse = (call: TapCall) => (isDebtsRead(call) ? onDebtsRead : 'pass');
  tap = await startTap({ target: inject('dynamoEndpoint'), hooks: { onResponse } });
  const environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: tap.endpoint,
    // No SQS: a message that is not made visible sooner is no part of this.
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1',
    CLAIMS_TABLE: tableName,
    DEBTS_TABLE: debtsTable,
    DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:1/000000000000/dead-letters',
    LOCK_LEASE_SECONDS: '30',
    LOCK_KEEP_SECONDS: String(keepSeconds),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  ({ handler } = await import('../../../lambda/repay-debts.ts'));
});
beforeEach(() => {
  for (const method of ['log', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
});
afterEach(() => {
  onDebtsRead = 'pass';
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await tap.stop();
  client.destroy();
});

async function newDebt(): Promise<string> {
  const debtId = `debt-${randomUUID()}`;
  await documents.send(new PutCommand({ TableName: debtsTable, Item: { debtId, amountCents: 100 } }));
  return debtId;
}

async function timesRepaid(debtId: string): Promise<number> {
  const get = new GetCommand({ TableName: debtsTable, Key: { debtId }, ConsistentRead: true });
  return Number((await documents.send(get)).Item?.['repaid'] ?? 0);
}

function requestFor(debts: readonly string[], customerId = 'customer-1') {
  return { requestId: `request-${randomUUID()}`, customerId, debts };
}

/** Delivers a request, and answers whether it was done. */
async function deliver(request: object, receiveCount = 1): Promise<boolean> {
  const event = sqsEvent(sqsRecord(request, { receiveCount }));
  return failuresOf(await handler(event, context())).length === 0;
}

test('a debt that two customers’ requests name at the same moment is repaid once', async () => {
  const debt = await newDebt();
  // Time enough for both to find it open.
  onDebtsRead = { delayMs: 500 };
  const requests = ['customer-1', 'customer-2'].map((customer) => requestFor([debt], customer));
  expect(await Promise.all(requests.map((request) => deliver(request)))).toEqual([true, true]);
  expect(await timesRepaid(debt)).toBe(1);
});

test('a debt that a request names twice is repaid once, at the first attempt', async () => {
  const [debt, other] = [await newDebt(), await newDebt()];
  expect(await deliver(requestFor([debt, other, debt]))).toBe(true);
  expect([await timesRepaid(debt), await timesRepaid(other)]).toEqual([1, 1]);
});

test('what a failed attempt has locked is kept for as long as the app says, and for the same request', async () => {
  const debt = await newDebt();
  const request = requestFor([debt]);
  onDebtsRead = 'drop';
  expect(await deliver(request)).toBe(false);
  const [locked] = await resourceLocks({
    store: dynamoLockStore(dynamoStore({ tableName, aws: sdk({ dynamodb: client }) })),
  }).read([['debt', debt]]);
  const keptSeconds = (new Date(locked?.until ?? 0).getTime() - Date.now()) / 1000;
  expect(keptSeconds).toBeGreaterThan(keepSeconds - 30);
  expect(keptSeconds).toBeLessThanOrEqual(keepSeconds);

  onDebtsRead = 'pass';
  expect(await deliver(request, 2)).toBe(true);
  expect(await timesRepaid(debt)).toBe(1);
});

test('a request goes on however often its workers died over it', async () => {
  const debt = await newDebt();
  const request = requestFor([debt]);
  const now = Date.now();
  const next = record({
    id: `repay-debts#${request.requestId}`,
    leaseUntil: now - 60_000,
    firstSeenAt: now - 600_000,
    attempts: 10,
    abandoned: 9,
    expiresAt: Math.ceil(now / 1000) + 86_400,
  });
  await dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }).write({ next, seen: undefined });
  expect(await deliver(request, 11)).toBe(true);
  expect(await timesRepaid(debt)).toBe(1);
});
