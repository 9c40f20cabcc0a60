import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionConflictException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ClaimStore, ClaimWrite } from '../../core/store.ts';
import { absentCondition, updateExpression } from './expressions.ts';
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
 * Needs `dynamodb:GetItem`, `dynamodb:PutItem` and `dynamodb:UpdateItem` on the table.
 *
 * @throws Error when the table's name is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: DynamoStoreOptions): ClaimStore {
  const TableName = options.tableName;
  if (typeof TableName !== 'string' || TableName === '') {
    throw new Error(
      `tableName: expected the name of the claims table; got ${JSON.stringify(TableName)}. Is its environment variable set?`,
    );
  }
  const client = options.client ?? defaultClient();

  return {
    async read(id) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : fromItem(Item);
    },

    async write(write) {
      for (let conflict = 1; ; conflict++) {
        try {
          await send(client, TableName, write);
          return { applied: true };
        } catch (error) {
          if (error instanceof ConditionalCheckFailedException) {
            return { applied: false, found: error.Item && fromItem(error.Item) };
          }
          // A transaction of somebody's holds the item for a moment. The SDK does not retry this one by itself.
          if (!(error instanceof TransactionConflictException) || conflict === 5) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** conflict * (0.5 + Math.random())));
        }
      }
    },
  };
}

async function send(client: DynamoDBClient, TableName: string, { next, seen }: ClaimWrite): Promise<void> {
  // What stands there comes back with the refusal, for nothing: no second request to see whom we lost to.
  const common = { TableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (seen === undefined) {
    await client.send(new PutItemCommand({ ...common, Item: toItem(next), ConditionExpression: absentCondition }));
  } else {
    const Key = { id: { S: next.id } };
    await client.send(new UpdateItemCommand({ ...common, Key, ...updateExpression(next, seen) }));
  }
}

function defaultClient(): DynamoDBClient {
  return new DynamoDBClient({
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
}
