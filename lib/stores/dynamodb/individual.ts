import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { ListsOpenClaims } from '../../claims/open-claims.ts';
import type { ClaimRecord } from '../../claims/record.ts';
import type { ClaimStore } from '../../claims/store.ts';
import { expect } from '../../kernel/check.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { explainedStore, explainedTable } from './explain.ts';
import { fromItem } from './item.ts';
import { listOpen } from './list-open.ts';
import { type ClaimTableOptions, claimTableOptionNames, tableOf } from './options.ts';
import { put } from './put.ts';
import { restoredStore, restoreOf } from './restored.ts';

/**
 * Claims in a DynamoDB table, with a request for each read and each write, for those who may not use PartiQL: twice as many
 * requests as messages, where `dynamoStore` makes two for ten.
 *
 * Needs `dynamodb:GetItem` and `dynamodb:PutItem` on the table. `listOpen` needs `dynamodb:Query` on its index `open`: it is for operators.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = individualDynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function individualDynamoStore(options: ClaimTableOptions): ClaimStore & ListsOpenClaims {
  expectOptions(options, { door: 'individualDynamoStore', known: claimTableOptionNames, docs: 'docs/adopt.md' });
  const { restored = false } = options;
  expect(typeof restored === 'boolean', 'restored', 'true or false', restored);
  const { nameOfTable, setupError, client } = tableOf(options);

  async function read(id: string): Promise<ClaimRecord | undefined> {
    const TableName = nameOfTable();
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }));
    return Item && fromItem(Item);
  }

  const store: ClaimStore & ListsOpenClaims = {
    setupError,
    read,
    write: async (write) => put(client, nameOfTable(), write),
    listOpen: async (query) => listOpen({ client, TableName: nameOfTable(), read }, query),
  };
  const honoured = restored ? restoredStore(store, restoreOf(client, nameOfTable)) : store;
  return explainedStore(honoured, explainedTable(nameOfTable, client, 'grantClaims'));
}
