import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { World } from '../contract.ts';
import type { Delivery } from '../scenarios.ts';

/**
 * Powertools as its documentation puts batch and idempotency together, configured to do what pawl does: the key is the same
 * field of the body; the whole body is fingerprinted, whatever the order of its fields; outcomes are kept for 30 days.
 */
export function powertools({ client, tableName, effect }: Omit<World, 'lean'>) {
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client });
  const processor = new BatchProcessor(EventType.SQS);
  const config = new IdempotencyConfig({
    eventKeyJmesPath: 'powertools_json(body).orderId',
    payloadValidationJmesPath: 'powertools_json(body)',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: 30 * 24 * 3600,
  });
  const handleOnce = makeIdempotent(async ({ messageId }: SQSRecord) => effect(messageId), {
    persistenceStore,
    config,
    keyPrefix: 'issue-gift-card',
  });

  async function handler(event: SQSEvent, context: Context) {
    config.registerLambdaContext(context);
    // A batch of one that fails is an answer for the others, and here a throw unless it is told otherwise.
    return processPartialResponse(event, handleOnce, processor, { context, throwOnFullBatchFailure: false });
  }

  return ({ event, context }: Delivery) =>
    () =>
      handler(event as SQSEvent, context as Context);
}
