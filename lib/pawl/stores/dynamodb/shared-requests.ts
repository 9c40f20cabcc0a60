import { explainedError } from '../../kernel/errors.ts';
import type { ClaimRecord } from '../../rules/record.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../../rules/store.ts';
import { groupCommit, type Part } from '../group-commit.ts';
import { standingOf } from '../standing.ts';
import { call } from './calls.ts';
import { conditionFailed, isAboutContents, isHopeless, isThrottled } from './errors.ts';
import { explainedStore, explainedTable } from './explain.ts';
import { fromItem, type Item } from './item.ts';
import { putClaim } from './put.ts';
import { statementOf } from './statement.ts';
import type { Table } from './table.ts';

/** Claims in a table, over any transport. What is asked for at the same time shares a request: up to 25 writes, up to 100 reads. */
export function sharedRequests({
  nameOfTable,
  setupError,
  aws: { dynamodb: transport },
  host,
  restore,
}: Table): ClaimStore {
  const errors = { isAboutContents, isHopeless, isThrottled };
  const read = groupCommit(host, 100, readTogether, errors);
  const write = groupCommit(host, 25, writeTogether, errors);

  async function readTogether(ids: readonly string[]): Promise<readonly Part<ClaimRecord | undefined>[]> {
    const TableName = nameOfTable();
    const Keys = ids.map((id) => ({ id: { S: id } }));
    const { Responses, UnprocessedKeys } = await call(transport, 'BatchGetItem', {
      RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
    });
    const found = new Map(Responses?.[TableName]?.map((item) => [item['id']?.S, item]));
    const unread = UnprocessedKeys?.[TableName]?.Keys?.map((key) => key['id']?.S);
    return ids.map((id) =>
      // What was not read is not what is not there: taken for that, it would let an effect run twice.
      unread?.includes(id)
        ? {
            error: Object.assign(explainedError(Error, 'DynamoDB left this key unread', 'store-unavailable'), {
              name: 'ThrottlingError',
            }),
          }
        : { value: known(found.get(id)) },
    );
  }

  async function writeTogether(
    writes: readonly ClaimWrite[],
    isLimited: boolean,
  ): Promise<readonly Part<WriteResult>[]> {
    const TableName = nameOfTable();
    const [first] = writes;
    // DynamoDB tells a single refused `PutItem` what stands there. A batch of statements has to read it. But the client sends no throttled statement again.
    if (first !== undefined && first.seen === undefined && writes.length === 1 && !isLimited) {
      return [{ value: await putClaim(transport, TableName, first) }];
    }
    const { Responses = [] } = await call(transport, 'BatchExecuteStatement', {
      Statements: writes.map((one) => statementOf(TableName, one)),
    });
    return writes.map(({ next: { id }, waitsMs }, index) => {
      // Statements fail one by one, inside a response that is no error. A statement without a response may have been applied.
      const { Error: error } = Responses[index] ?? { Error: {} };
      if (error === undefined) return { value: { applied: true } };
      const { Code = 'InternalServerError', Message, Item } = error;
      if (Code === 'DuplicateItem' || Code === conditionFailed) return { value: lostTo(id, Item, waitsMs) };
      return { error: Object.assign(new Error(Message), { name: Code }) };
    });
  }

  /** A refused write, with what stands there. A statement may be refused without saying what. */
  async function lostTo(id: string, item: Item | undefined, waitsMs: number | undefined): Promise<WriteResult> {
    return { applied: false, found: await (item ? known(item) : read(id, id, { waitsMs })) };
  }

  const table = explainedTable(nameOfTable, transport, 'grantClaims');
  const store: ClaimStore = {
    setupError,
    read: (id, waitsMs) => read(id, id, { waitsMs }),
    write: (one) => write(one.next.id, one, standingOf(one)),
  };
  return explainedStore(restore ? restore.over(store) : store, table);
}

/** In a promise of its own: one item that is no claim must not fail those that were read with it. */
async function known(item: Item | undefined): Promise<ClaimRecord | undefined> {
  return item && fromItem(item);
}
