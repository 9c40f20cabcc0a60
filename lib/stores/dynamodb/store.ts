import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ClaimStore } from '../../core/store.ts';
import { unchangedCondition } from './condition.ts';
import { fromItem, toItem } from './item.ts';

export interface DynamoStoreOptions {
  /**
   * The claims table: partition key `id` (string), TTL on `expiresAt`, in one region only. `undefined` is taken, and
   * refused with a clear message, because that is what a missing environment variable is.
   */
  readonly tableName: string | undefined;
  /**
   * A client of your own, e.g. with tracing.
   * @default a client that gives up on a request after 3 seconds, and tries 4 times
   */
  readonly client?: DynamoDBClient;
}

/**
 * Claims in a DynamoDB table, one conditional request per claim and one per outcome.
 *
 * Needs `dynamodb:GetItem` and `dynamodb:PutItem` on the table.
 *
 * @throws Error when the table's name is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: DynamoStoreOptions): ClaimStore {
  const TableName = options.tableName;
  if (typeof TableName !== 'string' || TableName === '') {
    throw new Error(`tableName: expected a table's name; got '${TableName}'`);
  }
  const client = options.client ?? defaultClient();

  return {
    async read(id) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : fromItem(Item);
    },

    async write({ next, seen }) {
      try {
        await client.send(
          new PutItemCommand({
            TableName,
            Item: toItem(next),
            ...unchangedCondition(seen),
            // What stands there comes back with a refusal, for nothing: no second request to see whom we lost to.
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        );
        return { applied: true };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { applied: false, found: error.Item && fromItem(error.Item) };
      }
    },
  };
}

function defaultClient(): DynamoDBClient {
  return new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}
