import type { ClaimRecord } from '../../rules/record.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { call } from './calls.ts';
import { explainedStore, explainedTable } from './explain.ts';
import { fromItem } from './item.ts';
import { putClaim } from './put.ts';
import type { Table } from './table.ts';

/** Claims in a table, over any transport, with a request for each read and each write. */
export function singleRequests({ nameOfTable, setupError, aws: { dynamodb: transport }, restore }: Table): ClaimStore {
  async function read(id: string): Promise<ClaimRecord | undefined> {
    const TableName = nameOfTable();
    const { Item } = await call(transport, 'GetItem', { TableName, Key: { id: { S: id } }, ConsistentRead: true });
    return Item && fromItem(Item);
  }

  const table = explainedTable(nameOfTable, transport, 'grantClaims');
  const store: ClaimStore = {
    setupError,
    read,
    write: async (write) => putClaim(transport, nameOfTable(), write),
  };
  return explainedStore(restore ? restore.over(store) : store, table);
}
