import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';

/** The peer, as its documentation puts batch and idempotency together, with the client that it makes. */
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env['CLAIMS_TABLE'] ?? '' });
const processor = new BatchProcessor(EventType.SQS);
const config = new IdempotencyConfig({ eventKeyJmesPath: 'powertools_json(body).orderId' });
const handleOnce = makeIdempotent(async (_: SQSRecord) => undefined, {
  persistenceStore,
  config,
  keyPrefix: 'mail',
});

export async function handler(event: SQSEvent, context: Context) {
  config.registerLambdaContext(context);
  return processPartialResponse(event, handleOnce, processor, { context, throwOnFullBatchFailure: false });
}
