import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { signedText } from '../../../lambda/processor.ts';
import { dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { SqsLocal } from '../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { startSqsLocal } from '../../../lib/rehearsal/engine/servers/sqs-local.ts';
import { startTap, type Tap } from '../../../lib/rehearsal/engine/servers/tap.ts';
import { runTraffic } from '../../../shop/traffic/traffic.ts';
import { apiGatewayV2 } from '../../support/http-events.ts';
import { context } from '../../support/lambda.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const queue = 'payments';
let client: DynamoDBClient;
let sqs: SqsLocal;
let tap: Tap;
let tableName: string;
let handler: typeof import('../../../lambda/payment-callback.ts').handler;
/** What becomes of the next calls of SQS. */
const outages: ('before' | 'after')[] = [];

beforeAll(async () => {
  client = localClient(inject('dynamoEndpoint'));
  tableName = await claimsTable(client);
  sqs = await startSqsLocal();
  const { url } = await sqs.createQueue(queue);
  const failing = (when: 'before' | 'after') => (): 'drop' | 'pass' =>
    outages[0] === when && outages.shift() ? 'drop' : 'pass';
  tap = await startTap({ target: sqs.endpoint, hooks: { onRequest: failing('before'), onResponse: failing('after') } });
  const environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoEndpoint'),
    AWS_ENDPOINT_URL_SQS: tap.endpoint,
    CLAIMS_TABLE: tableName,
    PAYMENTS_QUEUE_URL: url,
    PROCESSOR_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  ({ handler } = await import('../../../lambda/payment-callback.ts'));
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterAll(async () => {
  await tap.stop();
  await sqs.stop();
  client.destroy();
  vi.unstubAllEnvs();
});

/** One call of the processor: another attempt, at another time. */
async function call(body: unknown): Promise<number> {
  const text = JSON.stringify(body);
  const sentAt = String(Date.now());
  const signature = sign(null, Buffer.from(signedText(sentAt, text)), privateKey).toString('base64');
  const event = apiGatewayV2({
    path: '/payments/callback',
    headers: { 'content-type': 'application/json', 'x-sent-at': sentAt, 'x-signature': signature },
    body: text,
  });
  // What it throws is a 500 of API Gateway's.
  return handler(event, context(20_000)).then(
    (response) => response.statusCode,
    () => 500,
  );
}

async function queued(): Promise<unknown[]> {
  const { url } = sqs.address(queue);
  const bodies: unknown[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
    );
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
  }
}

const newPayment = () => ({ paymentId: randomUUID(), customerId: 'c-1', amountCents: 500, currency: 'EUR' });

describe('the callback of the payment processor', () => {
  it('takes a corrected body with the same id, after a malformed one was refused', async () => {
    const payment = newPayment();
    const malformed: unknown[] = [
      { ...payment, currency: 'eur' },
      { ...payment, amountCents: '5.00' },
      { paymentId: payment.paymentId },
    ];
    for (const body of malformed) expect(await call(body)).toBe(400);
    expect(
      await dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }).read(`payment-callback#${payment.paymentId}`),
    ).toBeUndefined();
    expect(await call(payment)).toBe(200);
    expect(await queued()).toEqual([payment]);
  });

  it('never takes a payment on twice: a processor that calls again after months finds its claim', async () => {
    const payment = newPayment();
    expect(await call(payment)).toBe(200);
    const record = await dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }).read(
      `payment-callback#${payment.paymentId}`,
    );
    expect(record).toMatchObject({ status: 'completed' });
    // DynamoDB's TTL deletes by it.
    expect(record?.expiresAt).toBeUndefined();
    const later = Date.now() + 90 * 24 * 3600 * 1000;
    const now = vi.spyOn(Date, 'now').mockReturnValue(later);
    try {
      expect(await call(payment)).toBe(200);
    } finally {
      now.mockRestore();
    }
    expect(await queued()).toEqual([payment]);
  });

  it('refuses what is no JSON, or is nobody’s payment, without a claim', async () => {
    for (const body of ['payment', null, 17, {}, { ...newPayment(), paymentId: '' }])
      expect(await call(body)).toBe(400);
    expect(await queued()).toEqual([]);
  });

  it('takes the second attempt after the queue was down at the first, though it says that it is the second', async () => {
    const payment = newPayment();
    outages.push('before');
    expect(await call({ ...payment, attempt: 1, sentAt: '2026-11-21T09:30:00Z' })).toBe(500);
    expect(await call({ ...payment, attempt: 2, sentAt: '2026-11-21T09:31:00Z', livemode: true })).toBe(200);
    expect(await queued()).toEqual([payment]);
    // And a duplicate, with a counter of its own, is answered as the first was.
    expect(await call({ ...payment, attempt: 3 })).toBe(200);
    expect(await queued()).toEqual([]);
  });

  it('takes a payment after the queue was down for longer than any limit on attempts', async () => {
    const payment = newPayment();
    for (let attempt = 1; attempt <= 30; attempt++) {
      outages.push('before');
      expect(await call({ ...payment, attempt })).toBe(500);
    }
    expect(await call({ ...payment, attempt: 31 })).toBe(200);
    expect(await queued()).toEqual([payment]);
  });

  it('answers success, and sends one more message that is posted once, where the queue took one and did not say so', async () => {
    const payment = newPayment();
    outages.push('after');
    expect(await call({ ...payment, attempt: 1 })).toBe(500);
    expect(await call({ ...payment, attempt: 2 })).toBe(200);
    expect(await queued()).toEqual([payment, payment]);
  });

  it('refuses another amount under the id of a payment that was taken', async () => {
    const payment = newPayment();
    expect(await call(payment)).toBe(200);
    expect(await call({ ...payment, amountCents: 501 })).toBe(422);
    expect(await queued()).toEqual([payment]);
  });
});

it('books each of 60 payments once, and refuses none for good, behind a processor that behaves like the real ones', async () => {
  const { payments } = await runTraffic({
    orders: 1,
    payments: 60,
    repayments: 0,
    killShare: 0,
    seed: 20_260_101,
    protection: 'as-written',
    // The machine may be busy: a processor calls for days.
    deadlineMs: 200_000,
    progress: { say: () => undefined, update: () => undefined, end: () => undefined },
  });
  expect(payments).toMatchObject({ payments: 60, refused: [], ledgerEntries: 120, drift: [] });
  expect(payments.corrected).toBeGreaterThan(2);
  expect(payments.outages).toBeGreaterThan(2);
});
