import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { onceOverHttp } from '../../lib/pawl/http/index.ts';
import { hashed, once, RetryableError } from '../../lib/pawl/index.ts';
import { standInForAws } from '../../lib/pawl/internal.ts';
import { topics } from '../../lib/pawl/outbox/destinations/topics.ts';
import { DynamoDBPersistenceLayer, IdempotencyConfig, makeIdempotent } from '../../lib/pawl/powertools/index.ts';
import { bodyField, deadLetterQueue, eachMessage, sendOnce } from '../../lib/pawl/sqs/index.ts';
import { dynamoStore, individualDynamoStore, sdk } from '../../lib/pawl/stores/dynamodb/index.ts';
import { dynamoStore as leanStore } from '../../lib/pawl/stores/dynamodb/lean.ts';
import { transactionalStore } from '../../lib/pawl/transactions/index.ts';
import { apiGatewayV2 } from '../support/http-events.ts';

/** A test as a user writes it, whose first import is that of the fakes. Here they end with the file: files share a process. */
let fakes: typeof import('../../lib/testing/fakes/index.ts').fakes;
beforeAll(async () => {
  // An earlier file of this process may have imported them, and ended them.
  vi.resetModules();
  ({ fakes } = await import('../../lib/testing/fakes/index.ts'));
});
beforeEach(() => fakes.reset());
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  standInForAws(undefined);
});

interface Order {
  readonly orderId: string;
}

/** A handler as its module makes it. */
const mails = (
  send: (order: Order) => Promise<unknown> | unknown,
  store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }),
) =>
  eachMessage<Order>(
    {
      operation: 'send-email',
      store,
      key: bodyField('orderId'),
      onAbandoned: 'park',
      deadLetters: deadLetterQueue(process.env['DEAD_LETTER_QUEUE_URL']),
      onEvent: () => undefined,
    },
    ({ body }) => send(body),
  );

describe('a handler of SQS runs in its unit test as it is', () => {
  test.each([
    ['dynamoStore', () => dynamoStore({ tableName: process.env['CLAIMS_TABLE'] })],
    ['individualDynamoStore', () => individualDynamoStore({ tableName: process.env['CLAIMS_TABLE'] })],
    ['dynamoStore without the SDK', () => leanStore({ tableName: process.env['CLAIMS_TABLE'] })],
  ])('over %s', async (_, store) => {
    const send = vi.fn(async (_: Order) => undefined);
    const handler = mails(send, store());
    const event: SQSEvent = fakes.sqsEvent({ orderId: 'o-1' }, { orderId: 'o-2' }, 'no JSON');
    const context: Context = fakes.context();
    expect(await handler(event, context)).toEqual({ batchItemFailures: [] });
    expect(await handler(fakes.sqsEvent({ orderId: 'o-1' }), context)).toEqual({ batchItemFailures: [] });
    expect(send.mock.calls.map(([order]) => order)).toEqual([{ orderId: 'o-1' }, { orderId: 'o-2' }]);
    expect(fakes.deadLetters).toEqual([expect.objectContaining({ body: 'no JSON', reason: 'invalid-message' })]);
    expect(fakes.claim('send-email', 'o-1')).toMatchObject({ status: 'completed' });
    expect(fakes.claim('send-email', 'o-3')).toBeUndefined();
  });

  test('what comes again is hidden for its back-off, and the test sees for how long', async () => {
    const handler = mails(() => Promise.reject(new RetryableError('slow down', { retryAfterMs: 60_000 })));
    const event = fakes.sqsEvent({ orderId: 'o-1' });
    const [record] = event.Records;
    expect(await handler(event, fakes.context())).toEqual({
      batchItemFailures: [{ itemIdentifier: record?.messageId }],
    });
    expect(fakes.hidden).toEqual([
      {
        receiptHandle: record?.receiptHandle,
        seconds: expect.toSatisfy((seconds: number) => seconds >= 60 && seconds < 90),
      },
    ]);
  });

  test('the next test finds no claim of the one before', async () => {
    const send = vi.fn(async (_: Order) => undefined);
    const handler = mails(send);
    await handler(fakes.sqsEvent({ orderId: 'o-1' }), fakes.context());
    fakes.reset();
    expect([fakes.claim('send-email', 'o-1'), fakes.deadLetters, fakes.hidden, fakes.sent]).toEqual([
      undefined,
      [],
      [],
      [],
    ]);
    await handler(fakes.sqsEvent({ orderId: 'o-1' }), fakes.context());
    expect(send).toHaveBeenCalledTimes(2);
  });
});

test('a claim under a hidden key is found with hideKeys, and is not said to be missing without', async () => {
  const hideKeys = hashed('a secret of the tests');
  const store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
  const welcome = once(
    { operation: 'welcome', store, hideKeys, key: (order: Order) => order.orderId, onAbandoned: 'park' },
    async () => undefined,
  );
  expect(fakes.claim('welcome', 'o-1')).toBeUndefined();
  await welcome({ orderId: 'o-1' });
  expect(fakes.claim('welcome', 'o-1', { hideKeys })).toMatchObject({ status: 'completed' });
  expect(fakes.claim('welcome', 'o-2', { hideKeys })).toBeUndefined();
  expect(() => fakes.claim('welcome', 'o-1')).toThrow("fakes.claim('welcome', key, { hideKeys: hashed(secret) })");
  expect(fakes.claim('send-email', 'o-1')).toBeUndefined();
});

test('a handler over HTTP replays in its unit test', async () => {
  const charge = vi.fn(
    async (_: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => ({
      statusCode: 201,
      body: 'ch-1',
    }),
  );
  const store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
  const handler = onceOverHttp({ operation: 'charge', store, caller: 'anyone', onAbandoned: 'park' }, charge);
  const request = apiGatewayV2({ headers: { 'idempotency-key': '"k-1"' }, body: '{}' }) as APIGatewayProxyEventV2;
  for (let times = 0; times < 2; times++) {
    expect(await handler(request, fakes.context())).toMatchObject({ statusCode: 201, body: 'ch-1' });
  }
  expect(charge).toHaveBeenCalledTimes(1);
});

test('a function with the call shapes of Powertools runs without a table of its records', async () => {
  const run = vi.fn(async ({ orderId }: Order) => orderId);
  const send = makeIdempotent(run, {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'idempotencyTable', onAbandoned: 'retry' }),
    config: new IdempotencyConfig({ eventKeyJmesPath: 'orderId' }),
  });
  expect([await send({ orderId: 'o-1' }), await send({ orderId: 'o-1' })]).toEqual(['o-1', 'o-1']);
  expect(run).toHaveBeenCalledTimes(1);
});

test('what sendOnce sends is there to be looked at', async () => {
  const store = dynamoStore({ tableName: process.env['CLAIMS_TABLE'] });
  const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/refunds';
  const send = sendOnce({ operation: 'refund', store, queueUrl });
  await send({ intent: 'refund of o-1', key: 'o-1', body: { orderId: 'o-1' } });
  expect(fakes.sent).toEqual([{ queueUrl, body: '{"orderId":"o-1"}', reason: undefined, error: undefined }]);
  expect(fakes.deadLetters).toEqual([]);
});

test('what needs a table says so, and a client that is named is left alone', async () => {
  const store = transactionalStore(dynamoStore({ tableName: process.env['CLAIMS_TABLE'] }));
  const { aws } = dynamoStore({ tableName: 'claims' });
  await expect(aws.dynamodb.call('TransactWriteItems', {})).rejects.toThrow('DynamoDB Local');
  expect(store.aws).toBe(aws);
  const named = sdk({ dynamodb: { send: async () => ({ Item: undefined }) } as never });
  expect(dynamoStore({ tableName: 'claims', aws: named }).aws).toBe(named);
});

describe('without the fakes, no test calls AWS unless it names a client or an endpoint', () => {
  beforeAll(() => standInForAws(undefined));
  afterEach(() => vi.unstubAllEnvs());
  const refused = /a test of Vitest would call \w+ of AWS/;
  const requests: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a claim', () => dynamoStore({ tableName: 'claims' }).read('o#1')],
    ['a claim without the SDK', () => leanStore({ tableName: 'claims' }).read('o#1')],
    ['a message', () => sdk().sqs.call('SendMessage', {})],
    ['a topic', () => topics().send({ to: 'arn:aws:sns:us-east-1:0:t', body: '' } as never, AbortSignal.timeout(1000))],
  ];

  test.each(requests)('%s', async (_, request) => {
    await expect(request()).rejects.toThrow(refused);
  });

  test.each([
    ['VITEST', 'Vitest'],
    ['JEST_WORKER_ID', 'Jest'],
    ['NODE_TEST_CONTEXT', 'node:test'],
  ])('under the variable %s as well', async (variable, runner) => {
    vi.stubEnv('VITEST', undefined);
    vi.stubEnv(variable, '1');
    await expect(sdk().dynamodb.call('GetItem', {})).rejects.toThrow(`a test of ${runner} would call`);
  });

  test('an endpoint is enough', async () => {
    const [, ofDynamo] = requests;
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
    const ask = ofDynamo?.[1] as () => Promise<unknown>;
    await expect(ask()).rejects.not.toThrow(refused);
  });
});
