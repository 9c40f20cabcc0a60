import type { ClaimRecord } from '../../rules/record.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../../rules/store.ts';
import { groupCommit } from '../group-commit.ts';
import { standingOf } from '../standing.ts';
import { call } from './calls.ts';
import { isAboutContents, isHopeless, isThrottled } from './errors.ts';
import { explainedStore, explainedTable } from './explain.ts';
import { fromItem } from './item.ts';
import { putClaim } from './put.ts';
import type { Table } from './table.ts';

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

/**
 * Claims in a table, over any transport, with a request for each read and each write. Where the table throttles, they wait as shared ones do: a message that
 * came back would have used up a receive.
 */
export function singleRequests({
  nameOfTable,
  setupError,
  aws: { dynamodb: transport },
  host,
  restore,
}: Table): ClaimStore {
  const read = oneByOne(async (id: string): Promise<ClaimRecord | undefined> => {
    const TableName = nameOfTable();
    const { Item } = await call(transport, 'GetItem', { TableName, Key: { id: { S: id } }, ConsistentRead: true });
    return Item && fromItem(Item);
  });
  const write = oneByOne(async (one: ClaimWrite): Promise<WriteResult> => putClaim(transport, nameOfTable(), one));

  function oneByOne<In, Out>(send: (input: In) => Promise<Out>) {
    const sendAll = (inputs: readonly In[]) => Promise.all(inputs.map(async (input) => ({ value: await send(input) })));
    return groupCommit(host, 1, sendAll, { isAboutContents, isHopeless, isThrottled });
  }

  const table = explainedTable(nameOfTable, transport, 'grantClaims');
  const store: ClaimStore = {
    setupError,
    read: (id, waitsMs) => read(id, id, { waitsMs }),
    write: (one) => write(one.next.id, one, standingOf(one)),
  };
  return explainedStore(restore ? restore.over(store) : store, table);
}
