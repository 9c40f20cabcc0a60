import type { ClaimRecord } from '../../rules/record.ts';
import type { ClaimStore } from '../../rules/store.ts';
import { call } from './calls.ts';
import { explainedStore, explainedTable } from './explain.ts';
import { fromItem } from './item.ts';
import { putClaim } from './put.ts';
import type { Table } from './table.ts';
import { whileThrottled } from './while-throttled.ts';

/** The stores that put a claim whole, also to change it: what may change claims so may make them. */
const puttingWhole = new WeakSet<object>();

/** Marks a store of single requests as its author has it. A store of the author's around it is another one. */
export function putsWhole<Store extends object>(store: Store): Store {
  puttingWhole.add(store);
  return store;
}

export function isPuttingWhole(store: object): boolean {
  return puttingWhole.has(store);
}

/** Claims in a table, over any transport, with a request for each read and each write. */
export function singleRequests({
  nameOfTable,
  setupError,
  aws: { dynamodb: transport },
  host,
  restore,
}: Table): ClaimStore {
  async function read(id: string): Promise<ClaimRecord | undefined> {
    const TableName = nameOfTable();
    const { Item } = await call(transport, 'GetItem', { TableName, Key: { id: { S: id } }, ConsistentRead: true });
    return Item && fromItem(Item);
  }

  const table = explainedTable(nameOfTable, transport, 'grantClaims');
  const store: ClaimStore = {
    setupError,
    read: (id, waitsMs) => whileThrottled(host, waitsMs, () => read(id)),
    write: (write) => whileThrottled(host, write.waitsMs, async () => putClaim(transport, nameOfTable(), write)),
  };
  return explainedStore(restore ? restore.over(store) : store, table);
}
