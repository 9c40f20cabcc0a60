import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { Aws } from '../../../lib/pawl/aws/aws.ts';
import { leanSqs } from '../../../lib/pawl/aws/lean-sqs.ts';
import type { ClaimEvent } from '../../../lib/pawl/engine/events.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { memoryStore } from '../../../lib/pawl/index.ts';
import type { Host } from '../../../lib/pawl/kernel/host.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import {
  bodyField,
  deadLetterQueue,
  eachMessage,
  entityKey,
  type InvocationContext,
  type SqsEvent,
  type SqsOptions,
  sendOnce,
} from '../../../lib/pawl/sqs/index.ts';
import { dynamoStore, type LeanOptions, lean } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import { eachTransaction, transactionalStore } from '../../../lib/pawl/transactions/index.ts';
import { type Arrival, type FaultyHttp, type HttpFault, startFaultyHttp } from '../../support/faulty-http.ts';
import { context } from '../../support/lambda.ts';
import { localLean } from '../../support/lean.ts';
import { startQueues } from '../../support/queues.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/*
 * Real sockets between the lean transport and an SQS server, on which things go wrong. What became of the messages is read from the queues.
 */

let queues: Awaited<ReturnType<typeof startQueues>>;
let stack: AsyncDisposableStack;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  queues = await startQueues();
  stack.defer(() => queues.stop());
});
afterEach(() => stack.disposeAsync());

/** Waits a twentieth of a pause, and the whole time for a response: this machine may be busy. */
const hasty: Host = { ...nodeHost, after: (ms, run) => nodeHost.after(ms < 1000 ? ms / 20 : ms, run) };
const credentials = { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: 'token-1' };

/** SQS behind an unreliable way, and a way to AWS that leads there. */
async function unreliable(
  faultOf: (arrival: Arrival) => HttpFault | undefined,
  { now, ...options }: LeanOptions & { readonly now?: () => number } = {},
) {
  const service = { endpoint: queues.endpoint, hasChecksum: false, ...(now && { now }) };
  const server: FaultyHttp = await startFaultyHttp(service, faultOf);
  stack.defer(() => server.stop());
  const endpoints = { dynamodb: inject('dynamoEndpoint'), sqs: server.endpoint };
  const aws = lean({ endpoints, region: 'us-east-1', credentials, host: hasty, ...options });
  stack.defer(() => aws.destroy());
  return { server, aws };
}

type Door = (options: SqsOptions<{ id: string }>) => Promise<(event: SqsEvent) => Promise<unknown>>;

const fails = () => Promise.reject(new Error('mail server unavailable'));
const within = (): InvocationContext => context(30_000);
const doors: readonly (readonly [string, Door])[] = [
  [
    'eachMessage',
    async (options) => {
      const handler = eachMessage(options, fails);
      return (event) => handler(event, within());
    },
  ],
  [
    'sqsOnce',
    async (options) => {
      const handler = middy(fails, { timeoutEarlyInMillis: 0 }).use(sqsOnce(options));
      return (event) => handler(event as never, within() as never);
    },
  ],
  [
    'eachTransaction',
    async ({ onAbandoned: _, ...options }) => {
      const endpoint = inject('dynamoEndpoint');
      const sdk = localClient(endpoint);
      stack.defer(() => sdk.destroy());
      // With a way to the table of its own, and that of the door to the queues.
      const aws = localLean(endpoint);
      stack.defer(() => aws.destroy());
      const store = transactionalStore(dynamoStore({ tableName: await claimsTable(sdk), aws }));
      const handler = eachTransaction({ ...options, store }, fails);
      return (event) => handler(event, within());
    },
  ],
];

/** Ten messages whose handler fails, and one that can never run, through a door. @returns what pawl reported */
async function fail(door: Door, given: Pick<SqsOptions<{ id: string }>, 'store' | 'aws'>) {
  const events: ClaimEvent[] = [];
  const handler = await door({
    operation: 'send-email',
    key: bodyField('id'),
    onAbandoned: 'retry',
    deadLetters: deadLetterQueue(queues.deadLetters.url),
    backoffSeconds: () => 600,
    onEvent: (event) => events.push(event),
    ...given,
  });
  for (let index = 0; index < 9; index++) await queues.send({ id: `m-${index}` });
  await queues.send('no JSON', { tenant: 't-1' });
  const { received } = await queues.deliver(handler);
  expect(received).toBe(10);
  return events;
}

/** The nine are invisible for the time of their back-off, and the tenth is in the dead-letter queue with its reason. */
async function expectCarriedOut(events: readonly ClaimEvent[], copies = 1): Promise<void> {
  expect(events.filter(({ type }) => type === 'queue-call-failed')).toEqual([]);
  expect(await queues.depth(queues.orders)).toMatchObject({ ready: 0, inFlight: 9 });
  const dead = await queues.messages(queues.deadLetters);
  expect(dead).toHaveLength(copies);
  for (const { body, messageAttributes } of dead) {
    expect(body).toBe('no JSON');
    expect(messageAttributes).toMatchObject({
      'pawl-reason': { StringValue: 'invalid-message' },
      tenant: { StringValue: 't-1' },
    });
  }
}

/** Strikes the first try of each request. */
function once(fault: HttpFault): (arrival: Arrival) => HttpFault | undefined {
  const seen = new Set<string>();
  return ({ body }) => {
    if (seen.has(body)) return undefined;
    seen.add(body);
    return fault;
  };
}

describe.each(doors)('%s without the SDK', (_, door) => {
  it('hides what failed for its back-off, and sends what can never run to the dead-letter queue with its reason', async () => {
    const { server, aws } = await unreliable(() => undefined);
    await expectCarriedOut(await fail(door, { store: memoryStore(), aws }));
    const operations = server.arrivals.map(({ operation }) => operation);
    expect(operations.sort()).toEqual(['ChangeMessageVisibilityBatch', 'SendMessage']);
  });

  it('does the same by the way of its store, in the environment of a function', async () => {
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', queues.endpoint);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamoEndpoint'));
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    try {
      await expectCarriedOut(await fail(door, { store: { ...memoryStore(), aws: lean() } }));
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

/** Where the first try was applied, the message is in the dead-letter queue twice, as with the AWS SDK: SQS delivers at least once. */
const faults: readonly (readonly [string, HttpFault, number])[] = [
  ['a connection that is reset before the request is served', { kind: 'reset-before' }, 1],
  ['a connection that is reset in the middle of the response', { kind: 'reset-within' }, 2],
  ['a request that is applied, and a connection that is reset then', { kind: 'reset-after', responds: false }, 2],
  ['half a body that claims to be all of it', { kind: 'half-body' }, 2],
  ['a body that is no JSON', { kind: 'no-json' }, 2],
  ['429', { kind: 'status', status: 429, name: 'TooManyRequestsException' }, 1],
  ['500', { kind: 'status', status: 500, name: 'InternalError' }, 1],
  ['500 after the request was applied', { kind: 'status', status: 500, name: 'InternalError', applied: true }, 2],
  ['503 without a body of SQS’s', { kind: 'status', status: 503 }, 1],
  ['throttling', { kind: 'status', status: 400, name: 'RequestThrottled' }, 1],
  ['a connection that is reset right behind a complete response', { kind: 'reset-after', responds: true }, 1],
];

const [[, eachMessageDoor] = []] = doors;
const door = eachMessageDoor as Door;

it.each(faults)('no message is lost, and the caller hears of nothing, after %s', async (_, fault, copies) => {
  const { aws } = await unreliable(once(fault));
  await expectCarriedOut(await fail(door, { store: memoryStore(), aws }), copies);
});

it.each([
  ['a response that trickles past the time of the try', { kind: 'trickle' }, 2],
  ['a server that never responds', { kind: 'silence' }, 1],
] as const)('no message is lost, and the caller hears of nothing, after %s', async (_, fault, copies) => {
  const impatient: Host = { ...nodeHost, after: (ms, run) => nodeHost.after(ms / 10, run) };
  const { aws } = await unreliable(once(fault), { host: impatient });
  await expectCarriedOut(await fail(door, { store: memoryStore(), aws }), copies);
});

it('a clock that is off by 20 minutes is corrected from the date of the response', async () => {
  const now = () => Date.now() + 20 * 60_000;
  let refused = 0;
  const faultOf = ({ headers }: Arrival): HttpFault | undefined => {
    const signed = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
    if (Math.abs(Date.parse(signed) - now()) < 5 * 60_000) return undefined;
    refused++;
    return { kind: 'status', status: 403, name: 'InvalidSignatureException' };
  };
  const { aws } = await unreliable(faultOf, { now });
  await expectCarriedOut(await fail(door, { store: memoryStore(), aws }));
  expect(refused).toBeGreaterThan(0);
});

it('credentials that SQS refuses in the middle of a batch are got again, and the batch goes on', async () => {
  let valid = 1;
  const faultOf = ({ headers, operation }: Arrival): HttpFault | undefined => {
    if (operation === 'ChangeMessageVisibilityBatch') valid = 2;
    const isRight = headers['x-amz-security-token'] === `token-${valid}`;
    return isRight ? undefined : { kind: 'status', status: 403, name: 'ExpiredToken' };
  };
  const provider = async () => ({ ...credentials, sessionToken: `token-${valid}` });
  const { aws } = await unreliable(faultOf, { credentials: provider });
  await expectCarriedOut(await fail(door, { store: memoryStore(), aws }));
  expect(valid).toBe(2);
});

it('a copy that SQS received with another body is not taken for safe: the message stays on its queue', async () => {
  const own = localLean(inject('dynamoEndpoint'));
  stack.defer(() => own.destroy());
  const sqs = leanSqs(async () => ({ MessageId: 'm-1', MD5OfMessageBody: 'of another body' }));
  const aws: Aws = { ...own, sqs };
  const events = await fail(door, { store: memoryStore(), aws });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'queue-call-failed',
      error: { name: 'InvalidChecksumError', message: 'SQS received another body than the one that was sent' },
    }),
  );
  expect(await queues.depth(queues.orders)).toMatchObject({ inFlight: 10 });
});

it('a message is received as by the SDK, with the bytes of a binary attribute', async () => {
  const { aws } = await unreliable(() => undefined);
  const BinaryValue = Uint8Array.of(0, 255, 7);
  const MessageAttributes = {
    raw: { DataType: 'Binary', BinaryValue },
    tenant: { DataType: 'String', StringValue: 't' },
  };
  await aws.sqs.call('SendMessage', { QueueUrl: queues.orders.url, MessageBody: 'é', MessageAttributes });
  const call = { QueueUrl: queues.orders.url, MessageAttributeNames: ['All'] };
  expect(await aws.sqs.call('ReceiveMessage', call)).toMatchObject({ Messages: [{ Body: 'é', MessageAttributes }] });
});

it('a message that arrives with another body than SQS sent is not taken for whole: nothing is copied, and nothing deleted', async () => {
  const sqs = leanSqs(async () => ({
    Messages: [{ MessageId: 'm-1', Body: 'damaged', MD5OfBody: 'of another body' }],
  }));
  await expect(sqs.call('ReceiveMessage', { QueueUrl: queues.orders.url })).rejects.toMatchObject({
    name: 'InvalidChecksumError',
    message: 'another body arrived than the one that SQS sent',
  });
});

describe('a request that no repetition helps', () => {
  const names = [
    'AccessDeniedException',
    'BatchEntryIdsNotDistinct',
    'InvalidMessageContents',
    'InvalidParameterValue',
    'KmsAccessDenied',
    'KmsInvalidState',
    'MessageNotInflight',
    'QueueDoesNotExist',
    'ReceiptHandleIsInvalid',
    'UnsupportedOperation',
  ];
  const call = { QueueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/orders', MessageBody: 'hi' };

  it.each(names)('is sent once, and fails with the name that the SDK gives it: %s', async (name) => {
    const { server, aws } = await unreliable(() => ({ kind: 'status', status: 400, name }));
    const failed: unknown = await aws.sqs.call('SendMessage', call).catch((error: unknown) => error);
    expect(server.arrivals).toHaveLength(1);
    const { endpoint } = server;
    const sdk = new SQSClient({ endpoint, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false });
    stack.defer(() => sdk.destroy());
    const theirs = (await sdk.send(new SendMessageCommand(call)).catch((error: unknown) => error)) as Error;
    expect(failed).toMatchObject({ name: theirs.name, message: theirs.message, $metadata: { httpStatusCode: 400 } });
  });

  it('fails as with the SDK where SQS itself refuses it, with both of its names', async () => {
    const { aws } = await unreliable(() => undefined);
    const missing = { QueueUrl: `${queues.endpoint}/000000000000/nothing`, AttributeNames: ['RedrivePolicy' as const] };
    const ours: unknown = await aws.sqs.call('GetQueueAttributes', missing).catch((error: unknown) => error);
    const sdk = queues.functionClient;
    const theirs: unknown = await sdk.send(new GetQueueAttributesCommand(missing)).catch((error: unknown) => error);
    const { name, message, Code } = theirs as Error & { readonly Code: string };
    expect(ours).toMatchObject({ name, message, Code });
  });

  it('fails with the last error after 3 tries, where SQS fails each time', async () => {
    const { server, aws } = await unreliable(() => ({ kind: 'status', status: 500, name: 'InternalError' }));
    await expect(aws.sqs.call('SendMessage', call)).rejects.toMatchObject({ name: 'InternalError' });
    expect(server.arrivals).toHaveLength(3);
  });
});

it('a request that is given up ends at once, and is not sent again', async () => {
  const { server, aws } = await unreliable(() => ({ kind: 'silence' }));
  const giveUp = new AbortController();
  const call = { QueueUrl: queues.orders.url, MessageBody: 'hi' };
  const given = aws.sqs.call('SendMessage', call, { abortSignal: giveUp.signal });
  while (server.arrivals.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  giveUp.abort(new Error('the invocation is over'));
  await expect(given).rejects.toThrow('the invocation is over');
  const late = aws.sqs.call('SendMessage', call, { abortSignal: giveUp.signal });
  await expect(late).rejects.toThrow('the invocation is over');
  expect(server.arrivals).toHaveLength(1);
});

it('the attributes of a queue are those that the SDK reads', async () => {
  const { aws } = await unreliable(() => undefined);
  const call = { QueueUrl: queues.orders.url, AttributeNames: ['RedrivePolicy' as const] };
  const { Attributes } = await queues.functionClient.send(new GetQueueAttributesCommand(call));
  expect(await aws.sqs.call('GetQueueAttributes', call)).toMatchObject({ Attributes });
});

it('a binary attribute goes to the dead-letter queue as it came', async () => {
  const { aws } = await unreliable(() => undefined);
  const original = {
    messageId: 'm-1',
    receiptHandle: 'm-1',
    body: 'é',
    attributes: {},
    messageAttributes: { raw: { dataType: 'Binary', binaryValue: Buffer.from([0, 255, 7]).toString('base64') } },
  } as never;
  await deadLetterQueue(queues.deadLetters.url).send(aws.sqs, original, 'rejected', 'no');
  const { Records } = await queues.receive(queues.deadLetters);
  expect(Records[0]?.body).toBe('é');
  expect(Records[0]?.messageAttributes['raw']).toMatchObject({ dataType: 'Binary', binaryValue: 'AP8H' });
});

it('sendOnce without the SDK sends with its key, also after a response that was lost', async () => {
  const { aws } = await unreliable(once({ kind: 'reset-after', responds: false }));
  const send = sendOnce({ operation: 'bill', store: memoryStore(), queueUrl: queues.orders.url, aws });
  const message = { key: entityKey('bill', 'b-1'), body: { customer: 'é' } };
  const [first, second] = [await send(message), await send(message)];
  expect([first, second]).toMatchObject([
    { outcome: 'sent', replayed: false },
    { outcome: 'sent', replayed: true },
  ]);
  const sent = await queues.messages(queues.orders);
  expect(sent.map(({ body }) => body)).toEqual(['{"customer":"é"}', '{"customer":"é"}']);
  const keys = sent.map(({ messageAttributes }) => messageAttributes['idempotency-key']?.StringValue);
  expect(new Set(keys)).toEqual(new Set(['bill/b-1']));
});
