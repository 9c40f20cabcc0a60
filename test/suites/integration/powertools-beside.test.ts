import { getNamespace, Segment, setSegment } from 'aws-xray-sdk-core';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import type { SqsEvent } from '../../../lib/pawl/sqs/event.ts';
import { record } from '../../../lib/rehearsal/engine/app/template.ts';
import { exampleOf, type Names } from '../../docs/run-example.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/** Every recipe of the page as it is printed, with the real packages, DynamoDB Local and a real SQS server. */
const page = 'docs/guides/powertools-beside.md';

type Handler = (event: SqsEvent, context: unknown) => Promise<unknown>;

let queues: Awaited<ReturnType<typeof startQueues>>;
const sent: string[] = [];
const printed: string[] = [];

beforeAll(async () => {
  queues = await startQueues();
  const dynamoEndpoint = inject('dynamoEndpoint');
  const environment = {
    CLAIMS_TABLE: await claimsTable(localClient(dynamoEndpoint)),
    DEAD_LETTER_QUEUE_URL: queues.deadLetters.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'function',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamoEndpoint,
    AWS_ENDPOINT_URL_SQS: new URL(queues.orders.url).origin,
    // Prints to the console, which this test reads.
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    // The tracer works in Lambda only.
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    POWERTOOLS_TRACE_ENABLED: 'true',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.restoreAllMocks();
  sent.length = 0;
  printed.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await queues.stop();
});

/** The handler of a recipe, whose mailer remembers what it sent. */
async function handlerOf(text: string, names: Names = {}): Promise<Handler> {
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((line: unknown) => printed.push(String(line)));
  }
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line)) > 0);
  const sendMail = async ({ orderId }: { readonly orderId: string }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (orderId.startsWith('refused')) throw new Error('mailbox full');
    sent.push(orderId);
  };
  const run = await exampleOf(page, text);
  return ((await run({ sendMail, ...names })) as { readonly handler: Handler }).handler;
}

const lambda = (awsRequestId = 'request-1') => ({
  ...context(),
  awsRequestId,
  functionName: 'mails',
  memoryLimitInMB: '512',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:mails',
  functionVersion: '1',
});
const lines = () => printed.flatMap((line) => (line.startsWith('{') ? [record(JSON.parse(line))] : []));

test('Logger: every line of a message has the keys of its own claim, also of messages that run side by side', async () => {
  const handler = await handlerOf('logger.createChild');
  const event = sqsEvent(sqsRecord({ orderId: 'log-1' }), sqsRecord({ orderId: 'log-2' }, { receiveCount: 3 }));
  expect(failuresOf(await handler(event, lambda()))).toEqual([]);
  const own = lines().filter(({ message }) => message === 'sending' || message === 'sent');
  expect(own).toHaveLength(4);
  for (const [index, orderId] of ['log-1', 'log-2'].entries()) {
    const ofOne = own.filter(({ key }) => key === orderId);
    expect(ofOne.map(({ message }) => message)).toEqual(['sending', 'sent']);
    const expected = { operation: 'send-email', attempt: 1, fence: 1, messageId: event.Records[index]?.messageId };
    for (const line of ofOne)
      expect(line).toMatchObject({ ...expected, function_request_id: 'request-1', service: 'mails' });
  }
  expect(lines().filter(({ message }) => message === 'pawl completed')).toHaveLength(2);
  // The parent is as it was: its lines are of no message.
  expect(lines().find(({ message }) => message === 'pawl granted')).not.toHaveProperty('key');
});

test('Metrics: an effect is counted once, its duplicate as suppressed, and each invocation publishes its own', async () => {
  const handler = await handlerOf('publishStoredMetrics');
  const event = sqsEvent(sqsRecord({ orderId: 'metric-1' }));
  const counted = (name: string) =>
    lines()
      .filter((line) => '_aws' in line && name in line)
      .map((line) => line[name]);
  await handler(event, lambda());
  expect([counted('mailsSent'), counted('mailsSuppressed')]).toEqual([[1], []]);
  await handler(event, lambda('request-2'));
  expect(sent).toEqual(['metric-1']);
  expect([counted('mailsSent'), counted('mailsSuppressed')]).toEqual([[1], [1]]);
  // The alarms' metric, in pawl's own namespace.
  expect(counted('Completed')).toEqual([1]);
});

test('Tracer: each message has a subsegment of its own, with its claim as annotations, and no other inside of it', async () => {
  const handler = await handlerOf('captureAsyncFunc');
  const root = new Segment('mails');
  const event = sqsEvent(sqsRecord({ orderId: 'trace-1' }), sqsRecord({ orderId: 'refused-1' }));
  await getNamespace().runAndReturn(async () => {
    setSegment(root);
    await handler(event, lambda());
  });
  const { subsegments = [] } = JSON.parse(root.toString()) as {
    readonly subsegments?: readonly Record<string, unknown>[];
  };
  const own = subsegments.filter(({ name }) => name === 'send-email');
  expect(own.map(({ annotations }) => annotations)).toEqual([
    { key: 'trace-1', attempt: 1, fence: 1 },
    { key: 'refused-1', attempt: 1, fence: 1 },
  ]);
  expect(own.map(({ fault = false }) => fault)).toEqual([false, true]);
  for (const { subsegments: inner = [] } of own) {
    expect((inner as readonly Record<string, unknown>[]).map(({ name }) => name)).not.toContain('send-email');
  }
  expect(JSON.stringify(subsegments)).toContain('DynamoDB');
});

const notification = (message: unknown, id: string) => ({
  Type: 'Notification',
  MessageId: id,
  TopicArn: 'arn:aws:sns:us-east-1:000000000000:orders',
  Message: JSON.stringify(message),
  Timestamp: `2026-11-21T10:07:0${id.length % 10}.287Z`,
  SignatureVersion: '1',
  Signature: `signature of ${id}`,
  SigningCertURL: 'https://sns.us-east-1.amazonaws.com/cert.pem',
  UnsubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe',
});
const placed = (detail: unknown, id: string) => ({
  ...{ version: '0', id, source: 'shop', account: '000000000000', region: 'us-east-1', resources: [] },
  ...{ time: `2026-11-21T10:07:0${id.length % 10}Z`, 'detail-type': 'OrderPlaced', detail },
});

const envelopes: readonly (readonly [string, string, (body: unknown, id: string) => object])[] = [
  ['SNS', 'SnsSqsNotificationSchema', notification],
  ['EventBridge', 'EventBridgeSchema', placed],
];

test.each(envelopes)(
  'Parser: one intent that comes twice through %s has one effect, and both copies are acknowledged',
  async (name, text, wrap) => {
    const Order = z.object({ orderId: z.string().min(1) });
    const handler = await handlerOf(text, name === 'EventBridge' ? { Order } : {});
    const orderId = `parsed ${text}`;
    for (const id of ['a', 'bb']) {
      expect(failuresOf(await handler(sqsEvent(sqsRecord(wrap({ orderId }, id))), lambda()))).toEqual([]);
    }
    expect(sent).toEqual([orderId]);
    expect(printed.filter((line) => line.startsWith('pawl:'))).toEqual([]);

    // What is not in the envelope is set aside, and its neighbour runs.
    const before = (await queues.depth(queues.deadLetters)).ready;
    const mixed = sqsEvent(sqsRecord({ orderId: 'bare' }), sqsRecord(wrap({ orderId: `${orderId} 2` }, 'ccc')));
    expect(failuresOf(await handler(mixed, lambda()))).toEqual([]);
    expect(sent).toEqual([orderId, `${orderId} 2`]);
    expect((await queues.depth(queues.deadLetters)).ready).toBe(before + 1);
  },
);

test('Batch: what the processor reports as failed comes again, and the rest is done once', async () => {
  const handler = await handlerOf('processPartialResponse');
  const event = sqsEvent(sqsRecord({ orderId: 'batch-1' }), sqsRecord({ orderId: 'batch-2' }));
  expect(failuresOf(await handler(event, lambda()))).toEqual([]);
  expect(failuresOf(await handler(event, lambda('request-2')))).toEqual([]);
  expect(sent.toSorted()).toEqual(['batch-1', 'batch-2']);

  const refused = sqsEvent(sqsRecord({ orderId: 'refused-2' }), sqsRecord({ orderId: 'batch-3' }));
  await handler(refused, lambda('request-3'));
  expect(sent.filter((orderId) => orderId === 'batch-3')).toHaveLength(1);
  expect(lines().some(({ pawl, id }) => pawl === 'parked' && id === 'send-email#refused-2')).toBe(true);
});
