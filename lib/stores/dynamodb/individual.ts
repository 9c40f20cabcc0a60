import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../core/record.ts';
import { type ClaimStore, identifying } from '../../core/store.ts';
import { fromItem, toItem } from './item.ts';
import { type TableOptions, tableOf } from './options.ts';
import { isNew, put } from './put.ts';

/**
 * Claims in a DynamoDB table, with a request for each read and each write, for those who may not use PartiQL: twice as many
 * requests as messages, where `dynamoStore` makes two for ten.
 *
 * Needs `dynamodb:GetItem` and `dynamodb:PutItem` on the table.
 *
 * @throws OptionError when the table's name is missing
 * @example
 * const store = individualDynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function individualDynamoStore(options: TableOptions): ClaimStore {
  const { TableName, client } = tableOf(options);
  return {
    async read(id) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }),
      );
      return Item && fromItem(Item);
    },
    write: ({ next, seen }) => put(client, TableName, next, seen === undefined ? isNew : isUnchanged(seen)),
  };
}

/** `unchanged`, in DynamoDB's language: the condition under which a write may replace what was seen. */
function isUnchanged(seen: ClaimRecord) {
  return {
    ConditionExpression: identifying.map((name) => `#${name} = :${name}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(identifying.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: toItem(Object.fromEntries(identifying.map((name) => [`:${name}`, seen[name]]))),
  };
}
