import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { reconcile } from '../../lib/pawl/index.ts';
import { bodyField, deadLetterQueue, eachMessage } from '../../lib/pawl/sqs/index.ts';
import type { SweptHandler, World } from '../../lib/testing/index.ts';
import type { knowingProvider, Order } from '../../test/testing/providers.ts';
import { clientOf, type Table } from './table.ts';

/** The provider's side of a run, and the peer's table. */
export interface Outside {
  readonly cards: ReturnType<typeof knowingProvider>;
  readonly table: Table;
}

export type Contender = (world: World, outside: Outside) => SweptHandler;

const operation = 'issue-gift-card';
const keyOf = (orderId: string) => `${operation}#${orderId}`;

/** pawl, under one of its policies. */
export function pawl(policy: 'retry' | 'park' | 'reconcile'): Contender {
  return (world, { cards }) =>
    eachMessage<Order>(
      {
        ...world.options,
        operation,
        key: bodyField('orderId'),
        onAbandoned:
          policy !== 'reconcile'
            ? policy
            : reconcile({
                ask: async ({ effectKey }) => {
                  const issued = await world.io('cards.wasIssued', () => cards.wasIssued(effectKey));
                  return { verdict: issued ? 'applied' : 'not-applied' };
                },
                settleMs: 1000,
              }),
        deadLetters: deadLetterQueue(world.deadLetterQueueUrl),
      },
      ({ body }, { effectKey }) => world.io('cards.issue', () => cards.issue(body.orderId, effectKey)),
    );
}

/**
 * Powertools, as its documentation puts batch and idempotency together, configured to what pawl does by default: the same field of
 * the body is the key, the whole body is compared, outcomes are kept for 30 days.
 *
 * @param asks whether the handler asks the provider, before it acts: there is no policy for that, but a handler can
 */
export function powertools(asks: boolean): Contender {
  return (world, { cards, table }) => {
    const config = new IdempotencyConfig({
      eventKeyJmesPath: 'powertools_json(body).orderId',
      payloadValidationJmesPath: 'powertools_json(body)',
      throwOnNoIdempotencyKey: true,
      expiresAfterSeconds: 30 * 24 * 3600,
    });
    const persistenceStore = new DynamoDBPersistenceLayer({
      tableName: 'idempotency',
      awsSdkV3Client: clientOf(world, table),
    });
    const processor = new BatchProcessor(EventType.SQS);
    const handle = makeIdempotent(
      async ({ body }: SQSRecord) => {
        const { orderId } = JSON.parse(body);
        if (asks && (await world.io('cards.wasIssued', () => cards.wasIssued(keyOf(orderId))))) return;
        await world.io('cards.issue', () => cards.issue(orderId, keyOf(orderId)));
      },
      { persistenceStore, config, keyPrefix: operation },
    );
    return (event: SQSEvent, context: Context) => {
      config.registerLambdaContext(context);
      return processPartialResponse(event, handle, processor, { context, throwOnFullBatchFailure: false });
    };
  };
}

/** Nothing but the batch response. */
export const unprotected: Contender =
  (world, { cards }) =>
  async ({ Records }: SQSEvent) => {
    const results = await Promise.allSettled(
      Records.map(({ body }) => {
        const { orderId } = JSON.parse(body);
        return world.io('cards.issue', () => cards.issue(orderId, keyOf(orderId)));
      }),
    );
    const failed = Records.filter((_, index) => results[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
