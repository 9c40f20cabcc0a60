import { ConditionalCheckFailedException, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../core/record.ts';
import type { WriteResult } from '../../core/store.ts';
import { fromItem, toItem } from './item.ts';

/** One conditional write with a request of its own. */
export async function put(
  client: DynamoDBClient,
  TableName: string,
  next: ClaimRecord,
  condition: Pick<
    PutItemCommand['input'],
    'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  >,
): Promise<WriteResult> {
  try {
    await client.send(
      new PutItemCommand({
        TableName,
        Item: toItem(next),
        ...condition,
        // What stands there comes back with a refusal, for nothing: no second request to see whom we lost to.
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { applied: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { applied: false, found: error.Item && fromItem(error.Item) };
  }
}

/** The condition of a first claim. */
export const isNew = { ConditionExpression: 'attribute_not_exists(id)' };
