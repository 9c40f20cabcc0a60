import type { DynamoTransport } from '../../aws/aws.ts';
import { nodeHost } from '../../host.ts';
import { call } from '../../stores/dynamodb/calls.ts';
import { conditionOf } from '../../stores/dynamodb/condition.ts';
import { cancellationOf, conditionFailed, refusedBy } from '../../stores/dynamodb/errors.ts';
import { explainedBy, explainedTable, explaining } from '../../stores/dynamodb/explain.ts';
import { fieldsOf, type Item, toItem } from '../../stores/dynamodb/item.ts';
import { listingIn } from '../../stores/dynamodb/listing.ts';
import type { TransactAction } from '../../stores/dynamodb/marshall-action.ts';
import { updateOf } from '../../stores/dynamodb/statement.ts';
import type { DynamoStore } from '../../stores/dynamodb/store.ts';
import { type InTable, tableOf } from '../../stores/dynamodb/table.ts';
import { knownLock } from '../known-lock.ts';
import type { Lock } from '../owned-lock.ts';
import type { StoredRecord } from '../record.ts';
import { type Resource, resourceId } from '../resource.ts';
import { type LockStore, type LockWrite, type LockWriteResult, lockState, type OperatesLocks } from '../store.ts';
import { despiteConflicts } from './conflicts.ts';
import { readAll } from './read-all.ts';
import { whenIn } from './when-in.ts';

/** A lock store in DynamoDB. It also makes the conditions with which a transaction of the caller's depends on a lock. */
export interface DynamoLockStore extends LockStore, OperatesLocks, InTable {
  /**
   * The action that makes a transaction of the caller's fail unless the lock is still held by this worker: after a takeover,
   * a `keep`, or the holder's next attempt, it is not.
   *
   * @example
   * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
   * import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
   *
   * const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
   * const repaid = { Put: { TableName: 'repayments', Item: { id: payment.id } } };
   * await documents.send(new TransactWriteCommand({ TransactItems: [lockStore.stillHeld(lock), repaid] }));
   */
  stillHeld(lock: Pick<Lock, 'id'>): TransactAction;
  /**
   * The same for some of the resources, an action for each: for transactions that run in parallel, which would conflict
   * at the one lock. Fails when the resource has been locked anew since.
   */
  stillLocked(lock: Pick<Lock, 'id'>, resources: readonly Resource[]): readonly TransactAction[];
}

/** DynamoDB's limit for one transaction. */
const mostWrites = 100;

/**
 * Locks in the table of a `dynamoStore`: the claims table, or another with a text `id` as its partition key.
 *
 * Needs `dynamodb:BatchGetItem` and `PutItem` on the table, and `ConditionCheckItem` for `stillHeld` and `stillLocked`. `forEachItem`
 * needs `UpdateItem` besides, where its progress is kept. `ClaimsTable.grantLocks` grants them all.
 *
 * @throws OptionError unless the store is a `dynamoStore`, or an `individualDynamoStore`; at the first call when the table's name is missing
 * @example
 * import { dynamoStore } from 'pawl/dynamodb'; // or 'pawl/dynamodb/lean'
 *
 * const store = dynamoStore({ tableName: process.env.CLAIMS_TABLE });
 * const locks = resourceLocks({ store: dynamoLockStore(store) });
 */
export function dynamoLockStore(store: DynamoStore): DynamoLockStore {
  const table = tableOf('dynamoLockStore', store);
  const { nameOfTable, host } = table;
  const listing = listingIn(table, store);
  const transport = table.aws.dynamodb;
  const explained = explainedTable(nameOfTable, transport, 'grantLocks');

  async function read(ids: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    const TableName = nameOfTable();
    const found = await readAll(host, ids, async (some) => {
      const Keys = some.map((id) => ({ id: { S: id } }));
      const { Responses, UnprocessedKeys } = await call(transport, 'BatchGetItem', {
        RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
      });
      const items = (Responses?.[TableName] ?? []).map((item) => [item['id']?.S ?? '', fromItem(item)] as const);
      return { items, unread: (UnprocessedKeys?.[TableName]?.Keys ?? []).flatMap((key) => key['id']?.S ?? []) };
    });
    return ids.map((id) => found.get(id));
  }

  /** By a statement: an operator may update a record, and may put none. */
  async function update({ next, seen }: Parameters<OperatesLocks['update']>[0]): Promise<LockWriteResult> {
    const Statements = [updateOf(nameOfTable(), { next, seen }, lockState(seen))];
    const { Responses: [response] = [] } = await call(transport, 'BatchExecuteStatement', { Statements });
    const { Code, Message, Item } = response?.Error ?? {};
    if (response?.Error === undefined) return { applied: true };
    if (Code !== conditionFailed) throw Object.assign(new Error(Message), { name: Code });
    return { applied: false, found: Item ? [fromItem(Item)] : await read([seen.id]) };
  }

  return {
    table,
    most: mostWrites,
    listPlace: (query) => listing.listPlace(query),
    update: (write) => explaining(explained, () => update(write)),
    read: (ids) => explaining(explained, () => read(ids)),
    async write(writes) {
      try {
        await despiteConflicts(host, () => send(transport, nameOfTable(), writes));
        return { applied: true };
      } catch (error) {
        const found = refusalOf(error, writes);
        if (found === undefined) throw await explainedBy(explained, error);
        return { applied: false, found };
      }
    },
    stillHeld: ({ id }) => whenIn(nameOfTable(), id, { status: 'held' }),
    stillLocked(lock, resources) {
      // A transaction takes no item twice.
      const ids = new Set(resources.map((resource) => resourceId(resource, nodeHost)));
      return [...ids].map((id) => whenIn(nameOfTable(), id, { lockId: lock.id }));
    },
  };
}

async function send(transport: DynamoTransport, TableName: string, writes: readonly LockWrite[]): Promise<void> {
  const puts = writes.map(({ next, seen }) => {
    const { expression, names, values } = conditionOf(seen && lockState(seen));
    return {
      TableName,
      Item: toItem(next),
      ConditionExpression: expression,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values && toItem(values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
  });
  const [only] = puts;
  // Alone, a write costs half of what it costs in a transaction.
  if (only && puts.length === 1) await call(transport, 'PutItem', only);
  else await call(transport, 'TransactWriteItems', { TransactItems: puts.map((Put) => ({ Put })) });
}

/** What stood in the way of refused writes; of those that nothing stood in the way of, what was seen. */
function refusalOf(error: unknown, writes: readonly LockWrite[]): readonly (StoredRecord | undefined)[] | undefined {
  const refused = refusedBy(error);
  if (refused) return [refused.item && fromItem(refused.item)];
  const reasons = cancellationOf(error);
  if (!reasons?.some(({ Code }) => Code === conditionFailed)) return undefined;
  return writes.map(({ seen }, index) => {
    const { Code, Item } = reasons[index] ?? {};
    return Code === conditionFailed ? Item && fromItem(Item) : seen;
  });
}

function fromItem(item: Item): StoredRecord {
  return knownLock(fieldsOf(item), item['id']?.S ?? '');
}
