import { BatchExecuteStatementCommand, BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import type { ListsOpenClaims } from '../../claims/open-claims.ts';
import type { ClaimRecord } from '../../claims/record.ts';
import type { ClaimStore, ClaimWrite, WriteResult } from '../../claims/store.ts';
import { nodeHost } from '../../host.ts';
import { expect } from '../../kernel/check.ts';
import { explainedError } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/host.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { conditionFailed } from './errors.ts';
import { explainedStore, explainedTable } from './explain.ts';
import { groupCommit, type Part } from './group-commit.ts';
import { fromItem, type Item } from './item.ts';
import { listOpen } from './list-open.ts';
import { type ClaimTableOptions, claimTableOptionNames, tableOf } from './options.ts';
import { put } from './put.ts';
import { restoredStore, restoreOf } from './restored.ts';
import { statementOf } from './statement.ts';

export interface DynamoStoreOptions extends ClaimTableOptions {
  /** The timers. Only simulations set it. */
  readonly host?: Pick<Host, 'after' | 'random'>;
}

export const dynamoStoreOptionNames = {
  ...claimTableOptionNames,
  host: true,
} as const satisfies NamesOf<DynamoStoreOptions>;

/**
 * Claims in a DynamoDB table. What is asked for at the same time shares a request: up to 25 writes, up to 100 reads.
 *
 * Needs `dynamodb:BatchGetItem`, `PutItem`, `PartiQLInsert` and `PartiQLUpdate` on the table. `listOpen` needs
 * `dynamodb:Query` on its index `open`, and `GetItem` and `BatchGetItem` on the table: it is for operators, and no consumer calls it.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoStore(options: DynamoStoreOptions): ClaimStore & ListsOpenClaims {
  expectOptions(options, { door: 'dynamoStore', known: dynamoStoreOptionNames, docs: 'docs/adopt.md' });
  const { host = nodeHost, restored = false } = options;
  expect(typeof restored === 'boolean', 'restored', 'true or false', restored);
  const { nameOfTable, setupError, client } = tableOf(options);
  const read = groupCommit(host, 100, readTogether);
  const write = groupCommit(host, 25, writeTogether);

  async function readTogether(ids: readonly string[]): Promise<readonly Part<ClaimRecord | undefined>[]> {
    const TableName = nameOfTable();
    const Keys = ids.map((id) => ({ id: { S: id } }));
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
    );
    const found = new Map(Responses?.[TableName]?.map((item) => [item['id']?.S, item]));
    const unread = UnprocessedKeys?.[TableName]?.Keys?.map((key) => key['id']?.S);
    return ids.map((id) =>
      // What was not read is not what is not there: taken for that, it would let an effect run twice.
      unread?.includes(id)
        ? { error: explainedError(Error, 'DynamoDB left this key unread: the table is throttled', 'store-unavailable') }
        : { value: known(found.get(id)) },
    );
  }

  async function writeTogether(writes: readonly ClaimWrite[]): Promise<readonly Part<WriteResult>[]> {
    const TableName = nameOfTable();
    const [first] = writes;
    // DynamoDB tells a single refused `PutItem` what stands there. A batch of statements has to read it.
    if (first !== undefined && first.seen === undefined && writes.length === 1) {
      return [{ value: await put(client, TableName, first) }];
    }
    const { Responses = [] } = await client.send(
      new BatchExecuteStatementCommand({ Statements: writes.map((one) => statementOf(TableName, one)) }),
    );
    return writes.map(({ next: { id } }, index) => {
      // Statements fail one by one, inside a response that is no error. A statement without a response may have been applied.
      const { Error: error } = Responses[index] ?? { Error: {} };
      if (error === undefined) return { value: { applied: true } };
      const { Code = 'InternalServerError', Message, Item } = error;
      if (Code === 'DuplicateItem' || Code === conditionFailed) return { value: lostTo(id, Item) };
      return { error: Object.assign(new Error(Message), { name: Code }) };
    });
  }

  /** A refused write, with what stands there. A statement may be refused without saying what. */
  async function lostTo(id: string, item: Item | undefined): Promise<WriteResult> {
    return { applied: false, found: await (item ? known(item) : read(id, id)) };
  }

  const readOne = (id: string) => read(id, id);
  const store: ClaimStore & ListsOpenClaims = {
    setupError,
    read: readOne,
    write: (one) => write(one.next.id, one),
    listOpen: async (query) => listOpen({ client, TableName: nameOfTable(), read: readOne }, query),
  };
  const honoured = restored ? restoredStore(store, restoreOf(client, nameOfTable)) : store;
  return explainedStore(honoured, explainedTable(nameOfTable, client, 'grantClaims'));
}

/** In a promise of its own: one item that is no claim must not fail those that were read with it. */
async function known(item: Item | undefined): Promise<ClaimRecord | undefined> {
  return item && fromItem(item);
}
