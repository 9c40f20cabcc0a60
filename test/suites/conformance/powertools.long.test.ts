import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import middy from '@middy/core';
import type { Context, SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { object, string } from 'zod';
import { once, RetryableError } from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { bodyField, deadLetterQueue, eachMessage, type SqsEvent } from '../../../lib/pawl/sqs/index.ts';
import {
  assertSurvivesCrashes,
  type CrashSweepOptions,
  type SweptHandler,
  type World,
} from '../../../lib/testing/index.ts';
import { type IdempotencyTable, SweptPersistence } from './idempotency.ts';
import { quietly } from './sweep.ts';
import { type Beside, beside } from './table.ts';

quietly();

interface Order {
  readonly orderId: string;
}

const messages = ['o-1', 'o-2', 'o-1', 'o-3'].map((orderId) => ({ body: { orderId } }));

/** The provider, and Powertools' table. */
const outside = () => ({ sent: [] as string[], failed: 0, table: new Map() as IdempotencyTable });
type Outside = ReturnType<typeof outside>;

const claimOptionsIn = (world: World) => ({ ...world.options, operation: 'mail', onAbandoned: 'park' as const });

const optionsIn = (world: World) => ({
  ...claimOptionsIn(world),
  deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
});

/** The author's function: the last order fails twice before its mail. */
function mailIn(world: World, provider: Outside) {
  return async ({ orderId }: Order): Promise<{ mailed: string }> => {
    if (orderId === 'o-3' && provider.failed < 2) {
      provider.failed++;
      throw new RetryableError('the mail server is busy');
    }
    await world.io('mailer.send', () => provider.sent.push(orderId));
    return { mailed: orderId };
  };
}

/** `makeIdempotent`, as its documentation has it. */
function idempotent<Input, R>(
  world: World,
  { table }: Outside,
  fn: (input: Input) => Promise<R>,
  eventKeyJmesPath: string,
) {
  const config = new IdempotencyConfig({ eventKeyJmesPath, throwOnNoIdempotencyKey: true });
  const persistenceStore = new SweptPersistence(world, table);
  return { config, call: makeIdempotent(fn, { persistenceStore, config, keyPrefix: 'mail' }) };
}

/** Once-functions tell what came of a call; a handler of one message says it by throwing. */
async function expectDone(
  world: World,
  record: SQSRecord,
  outcome: Promise<{ readonly outcome: string }>,
): Promise<void> {
  const { outcome: came } = await outcome;
  if (came === 'parked') {
    await deadLetterQueue(world.deadLetterQueueUrl).send(world.options.store.aws.sqs, record, 'parked', 'in doubt');
  } else if (came !== 'completed') throw new Error(came);
}

type Wire = (world: World, provider: Outside) => SweptHandler;

const parsed = ({ body }: { readonly body: string }): Order => JSON.parse(body);

const wired: Readonly<Record<Beside['id'], Wire>> = {
  'batch in sqsOnce': (world, provider) => {
    const mail = mailIn(world, provider);
    const processor = new BatchProcessor(EventType.SQS, { logger: silentLogger });
    const existing = (event: SqsEvent, context: Context) =>
      processPartialResponse(event as never, (record: SQSRecord) => mail(parsed(record)), processor, { context });
    return middy(existing, { timeoutEarlyInMillis: 0 }).use(
      sqsOnce({ ...optionsIn(world), key: bodyField('orderId') }),
    ) as SweptHandler;
  },
  'once in batch': (world, provider) => {
    const key = ({ orderId }: Order) => orderId;
    const mail = once({ ...claimOptionsIn(world), key }, mailIn(world, provider));
    const processor = new BatchProcessor(EventType.SQS, { logger: silentLogger });
    return (event: SqsEvent, context: Context) => {
      const remainingMs = context.getRemainingTimeInMillis;
      const handle = (record: SQSRecord) => expectDone(world, record, mail.outcome(parsed(record), { remainingMs }));
      return processPartialResponse(event as never, handle, processor, { context });
    };
  },
  'idempotency in eachMessage': (world, provider) => {
    const { config, call } = idempotent(world, provider, mailIn(world, provider), 'orderId');
    const handler = eachMessage<Order>(
      {
        ...optionsIn(world),
        key: bodyField('orderId'),
        classify: (error) => ((error as Error).name === 'IdempotencyAlreadyInProgressError' ? 'retryable' : undefined),
      },
      ({ body }) => call(body),
    );
    return (event: SqsEvent, context: Context) => {
      config.registerLambdaContext(context);
      return handler(event, context);
    };
  },
  'once in idempotency': (world, provider) => {
    const key = ({ body }: SQSRecord) => parsed({ body }).orderId;
    const mail = once({ ...claimOptionsIn(world), key }, (record: SQSRecord) =>
      mailIn(world, provider)(parsed(record)),
    );
    const { config, call } = idempotent(
      world,
      provider,
      // Also of a parked one it throws: what is returned is remembered as done, and would outlive an operator's resolution.
      (record: SQSRecord) => mail(record),
      'powertools_json(body).orderId',
    );
    return async ({ Records }: { readonly Records: readonly SQSRecord[] }, context: Context) => {
      config.registerLambdaContext(context);
      const settled = await Promise.allSettled(Records.map((record) => call(record)));
      const failed = Records.filter((_, index) => settled[index]?.status === 'rejected');
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    };
  },
  'schema of zod': (world, provider) => {
    const mail = mailIn(world, provider);
    const schema = object({ orderId: string() });
    return eachMessage({ ...optionsIn(world), schema, key: ({ body }) => body.orderId }, ({ body }) => mail(body));
  },
};

const silentLogger = { debug: () => undefined, error: () => undefined, warn: () => undefined };

const sweepOf = (id: Beside['id']): CrashSweepOptions<Outside> => ({
  messages,
  provider: outside,
  handler: wired[id],
  effects: ({ sent }, { body }) => sent.filter((orderId) => orderId === (body as Order).orderId).length,
  batchSize: 2,
  // What is done and comes back for ever is stuck. Where parked messages are left to the queue, it moves them.
  maxReceiveCount: id === 'once in idempotency' ? 12 : 1000,
});

test.each(beside.map((row) => [row.name, row] as const))(
  '%s: no mail is lost, and none is sent twice',
  async (_, { id, reasons }) => {
    const isHidden = (body: unknown) => reasons === 'lost' && (body as Order).orderId === 'o-3';
    const { fates } = await assertSurvivesCrashes({
      ...sweepOf(id),
      expected: (_provider, { body }) => (isHidden(body) ? 'dead-letter' : 1),
      max: 100,
    });
    expect(fates.acknowledged).toBeGreaterThan(0);
  },
);
