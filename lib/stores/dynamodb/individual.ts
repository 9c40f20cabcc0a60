import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { ClaimStore } from '../../claims/store.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { explainedStore } from './explain.ts';
import { fromItem } from './item.ts';
import { type TableOptions, tableOf, tableOptionNames } from './options.ts';
import { put } from './put.ts';

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
  expectOptions(options, { door: 'individualDynamoStore', known: tableOptionNames, docs: 'docs/adopt.md' });
  const { TableName, client } = tableOf(options);
  const store: ClaimStore = {
    async read(id) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }),
      );
      return Item && fromItem(Item);
    },
    write: (write) => put(client, TableName, write),
  };
  return explainedStore(store, { TableName, client, grant: 'grantClaims' });
}
