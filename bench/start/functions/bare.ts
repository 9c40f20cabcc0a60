import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';

/** The least: a handler that writes an item with the client that pawl makes, and decides nothing. */
const client = new DynamoDBClient({
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
});

export async function handler({ Records }: SQSEvent) {
  const { orderId }: { readonly orderId: string } = JSON.parse(Records[0]?.body ?? '');
  await client.send(
    new PutItemCommand({
      TableName: process.env['CLAIMS_TABLE'],
      Item: { id: { S: `mail#${orderId}` } },
      ConditionExpression: 'attribute_not_exists(id)',
    }),
  );
  return { batchItemFailures: [] };
}
