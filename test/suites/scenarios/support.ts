import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { inject, onTestFinished } from 'vitest';
import { nodeHost } from '../../../lib/pawl/host.ts';
import {
  type Claim,
  type ClaimEvent,
  type ClaimStore,
  type Host,
  type OnceOptions,
  once,
} from '../../../lib/pawl/index.ts';
import { type SqsOnceOptions, sqsOnce } from '../../../lib/pawl/middy/index.ts';
import {
  bodyField,
  eachMessage,
  type MessageHandler,
  type SqsOptions,
  type SqsRecord,
} from '../../../lib/pawl/sqs/index.ts';
import { type Aws, dynamoStore, sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import type { Lean } from '../../../lib/pawl/stores/dynamodb/lean.ts';
import type { SeenWrite } from '../../../shop/faults/claim-writes.ts';
import { context, failuresOf, sqsEvent, sqsRecord } from '../../support/lambda.ts';
import { localLean } from '../../support/lean.ts';
import { startQueues } from '../../support/queues.ts';
import { refuseWritesOf, refusingAws } from '../../support/refused-writes.ts';
import { claimsTable, localClient } from '../../support/tables.ts';

/** The way to AWS that the scenarios run over. */
interface Way {
  store(tableName: string, client: DynamoDBClient): ClaimStore;
  refusing(tableName: string, refuses: (write: SeenWrite) => boolean): ClaimStore;
  /** In place of what a test hands on to a door, which is a client of the SDK. */
  readonly doors: () => { readonly aws?: Aws };
}

const overSdk: Way = {
  store: (tableName, client) => dynamoStore({ tableName, aws: sdk({ dynamodb: client }) }),
  refusing(tableName, refuses) {
    // One try: the SDK's own retries are not what these tests are about.
    const client = localClient(inject('dynamoEndpoint'), { maxAttempts: 1 });
    onTestFinished(() => client.destroy());
    refuseWritesOf(client, refuses);
    return dynamoStore({ tableName, aws: sdk({ dynamodb: client }) });
  },
  doors: () => ({}),
};

function openLean(): Lean {
  const dynamodb = inject('dynamoEndpoint');
  const aws = localLean(dynamodb, { endpoints: { dynamodb, sqs: queuesAt ?? nobody } });
  onTestFinished(() => aws.destroy());
  return aws;
}

const overLean: Way = {
  store: (tableName) => dynamoStore({ tableName, aws: openLean() }),
  refusing: (tableName, refuses) => dynamoStore({ tableName, aws: refusingAws(openLean(), refuses) }),
  doors: () => ({ aws: openLean() }),
};

let over = overSdk;
/** Where the queues of the test that runs are. */
let queuesAt: string | undefined;
const nobody = 'http://127.0.0.1:9';

/** Runs the scenarios that are imported after it without the SDK. */
export function runOverLean(): void {
  over = overLean;
}

export type Order = { orderId: string; amount?: number };

export const order = (orderId: string, amount = 500): SqsRecord => sqsRecord({ orderId, amount });

/** A claims table of its own for one test, and workers of one operation that share it. */
export async function setUp() {
  const operation = 'charge-order';
  const client = localClient(inject('dynamoEndpoint'));
  onTestFinished(() => client.destroy());
  const tableName = await claimsTable(client);
  const store = over.store(tableName, client);
  const events: ClaimEvent[] = [];
  const common = {
    operation,
    store,
    onAbandoned: 'retry',
    onEvent: (event: ClaimEvent) => {
      events.push(event);
    },
  } as const;
  // Most of these tests have no queue, and nobody to tell how long a message stays invisible.
  const onQueue = {
    ...common,
    key: bodyField('orderId'),
    backoffSeconds: () => undefined,
    aws: sdk({ sqs: noQueue() }),
  };

  return {
    tableName,
    store,
    events,
    typesOf: () => events.map(({ type }) => type),
    /** What the table holds for a key. */
    read: (key: string) => store.read(`${operation}#${key}`),
    /** How many claims the table holds. */
    async count(): Promise<number> {
      const { Count = 0 } = await client.send(
        new ScanCommand({ TableName: tableName, Select: 'COUNT', ConsistentRead: true }),
      );
      return Count;
    },
    /** An async function wrapped by `once`, called with its key. */
    worker: <R>(fn: (claim: Claim) => Promise<R> | R, options: Partial<OnceOptions<string>> = {}) =>
      once<string, R>({ ...common, key: (key) => key, ...options }, (_, claim) => fn(claim)).outcome,
    /** A handler of one message, called with a batch; answers the ids that are to come again. */
    consumer(handle: MessageHandler<Order>, options: Partial<SqsOptions<Order>> & Remaining = {}) {
      const { remainingMs, ...own } = options;
      const handler = eachMessage({ ...onQueue, ...own, ...over.doors() }, handle);
      return async (...records: readonly SqsRecord[]) =>
        failuresOf(await handler(sqsEvent(...records), context(remainingMs)));
    },
    /** An existing batch handler behind the middleware, called with a batch; answers the ids that are to come again. */
    existing(handle: (event: SQSEvent) => unknown, options: ExistingOptions = {}) {
      const { timeoutEarlyInMillis = 0, remainingMs = 30_000, others = [], inner = [], ...own } = options;
      const handler = middy(async (event: SQSEvent) => handle(event), { timeoutEarlyInMillis })
        .use([...others])
        .use(sqsOnce({ ...onQueue, ...own, ...over.doors() }))
        .use([...inner]);
      return async (...records: readonly SqsRecord[]) =>
        failuresOf(await handler(sqsEvent(...records) as SQSEvent, context(remainingMs) as Context));
    },
    /** The same table through a network that refuses some writes, as DynamoDB does when it throttles. */
    refusing: (refuses: (write: SeenWrite) => boolean) => over.refusing(tableName, refuses),
  };
}

interface Remaining {
  /** How long the invocation lasts. @default 30000 */
  readonly remainingMs?: number;
}

export interface ExistingOptions extends Partial<SqsOnceOptions<Order>>, Remaining {
  readonly timeoutEarlyInMillis?: number;
  /** Other middlewares, used before pawl's: their `before` runs earlier, and their `after` later. */
  readonly others?: readonly middy.MiddlewareObj<SQSEvent>[];
  /** Middlewares between pawl's and the handler, which is not where they belong. */
  readonly inner?: readonly middy.MiddlewareObj<SQSEvent>[];
}

/** Answers at once that nobody is there. The default client would look for an account and a region on this machine. */
function noQueue(): SQSClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new SQSClient({ endpoint: nobody, region: 'us-east-1', credentials, maxAttempts: 1 });
}

/** A real SQS server for one test. */
export async function queueServer(maxReceiveCount?: number) {
  const queues = await startQueues(maxReceiveCount);
  queuesAt = queues.endpoint;
  onTestFinished(async () => {
    queuesAt = undefined;
    await queues.stop();
  });
  return queues;
}

/** A worker whose clock shows this much more than ours: later, or too fast. */
export const aheadBy = (ms: number): Host => ({ ...nodeHost, now: () => Date.now() + ms });

/** A worker whose clock stands at one time. */
export const clockAt = (time: number): Host => ({ ...nodeHost, now: () => time });

/** Work that says when it has begun, and ends when the test wants it to. */
export function gate<T = void>() {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<T>();
  return {
    begun: begun.promise,
    end: ended.resolve,
    fail: ended.reject,
    work(): Promise<T> {
      begun.resolve();
      return ended.promise;
    },
  };
}
