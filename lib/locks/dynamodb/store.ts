import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { nodeHost } from '../../host.ts';
import type { Host } from '../../kernel/host.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { fieldsOf, type Item, toItem } from '../../stores/dynamodb/item.ts';
import { type TableOptions, tableOf, tableOptionNames } from '../../stores/dynamodb/options.ts';
import type { Lock } from '../lock.ts';
import type { StoredRecord } from '../record.ts';
import { type Resource, resourceId } from '../resource.ts';
import { type LockStore, type LockWrite, versionOf } from '../store.ts';
import { backOff, despiteConflicts } from './conflicts.ts';

export interface DynamoLockStoreOptions extends TableOptions {
  /** The timers. Only simulations set it. */
  readonly host?: Pick<Host, 'after' | 'random'>;
}

const known = { ...tableOptionNames, host: true } as const satisfies NamesOf<DynamoLockStoreOptions>;

/** One action of a transaction, as users of `DynamoDBDocumentClient` write it. */
export type TransactAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export interface DynamoLockStore extends LockStore {
  /**
   * The action that makes a transaction of the caller's fail unless the lock is still held by this worker: after a takeover,
   * a `keep`, or the holder's next attempt, it is not.
   *
   * @example
   * await documents.send(new TransactWriteCommand({ TransactItems: [store.stillHeld(lock), { Update: debtRepaid }] }));
   */
  stillHeld(lock: Pick<Lock, 'id'>): TransactAction;
  /**
   * The same for some of the resources, an action for each: for transactions that run in parallel, which would meet each other
   * at the one lock. Fails when the resource has been locked by anybody since.
   */
  stillLocked(lock: Pick<Lock, 'id'>, resources: readonly Resource[]): readonly TransactAction[];
}

/** DynamoDB's limits. */
const mostWrites = 100;
const mostReads = 100;
/** How often in a row a read may leave all of its keys unread. */
const mostRounds = 12;

/**
 * Locks in a DynamoDB table: the claims table, or another with a text `id` as its partition key.
 *
 * Needs `dynamodb:BatchGetItem` and `PutItem` on the table, and `ConditionCheckItem` for `stillHeld` and `stillLocked`. `forEachItem`
 * needs `UpdateItem` besides, where its progress is kept. `ClaimsTable.grantLocks` grants them all.
 *
 * @throws OptionError when the table's name is missing
 * @example
 * const store = dynamoLockStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function dynamoLockStore(options: DynamoLockStoreOptions): DynamoLockStore {
  expectOptions(options, { door: 'dynamoLockStore', known, docs: 'docs/locks.md' });
  const { host = nodeHost } = options;
  const { TableName, client } = tableOf(options);

  async function read(ids: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    const found = new Map<string, StoredRecord>();
    const waiting = [...new Set(ids)];
    for (let tries = 0; waiting.length > 0; ) {
      if (tries > mostRounds) throw new Error('DynamoDB did not read all locks');
      const Keys = waiting.splice(0, mostReads).map((id) => ({ id: { S: id } }));
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
      );
      for (const item of Responses?.[TableName] ?? []) found.set(item['id']?.S ?? '', fromItem(item));
      // What was not read is not what is not there: taken for that, a lock would be given away that somebody holds.
      const unread = (UnprocessedKeys?.[TableName]?.Keys ?? []).flatMap((key) => key['id']?.S ?? []);
      waiting.push(...unread);
      // Only what goes nowhere counts.
      tries = unread.length === Keys.length ? tries + 1 : 0;
      if (unread.length > 0) await backOff(host, tries);
    }
    return ids.map((id) => found.get(id));
  }

  return {
    most: mostWrites,
    read,
    async write(writes) {
      try {
        await despiteConflicts(host, () => send(client, TableName, writes));
        return { applied: true };
      } catch (error) {
        const found = refusalOf(error, writes);
        if (found === undefined) throw error;
        return { applied: false, found };
      }
    },
    stillHeld: ({ id }) => check(id, 'status', 'held'),
    stillLocked(lock, resources) {
      // A transaction takes no item twice.
      const ids = new Set(resources.map((resource) => resourceId(resource, nodeHost)));
      return [...ids].map((id) => check(id, 'lockId', lock.id));
    },
  };

  function check(id: string, name: string, value: string): TransactAction {
    return {
      ConditionCheck: {
        TableName,
        Key: { id },
        ConditionExpression: '#name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      },
    };
  }
}

async function send(client: DynamoDBClient, TableName: string, writes: readonly LockWrite[]): Promise<void> {
  const puts = writes.map(({ next, seen }) => ({
    TableName,
    Item: toItem(next),
    ...isUnchanged(seen),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }));
  const [only] = puts;
  // Alone, a write costs half of what it costs in a transaction.
  if (only && puts.length === 1) await client.send(new PutItemCommand(only));
  else await client.send(new TransactWriteItemsCommand({ TransactItems: puts.map((Put) => ({ Put })) }));
}

/** `unchanged`, in DynamoDB's language. */
function isUnchanged(seen: StoredRecord | undefined) {
  if (seen === undefined) return { ConditionExpression: 'attribute_not_exists(id)' };
  const { name, version } = versionOf(seen);
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': name },
    ExpressionAttributeValues: { ':version': { N: String(version) } },
  };
}

/** What stood in the way of refused writes; of those that nothing stood in the way of, what was seen. */
function refusalOf(error: unknown, writes: readonly LockWrite[]): readonly (StoredRecord | undefined)[] | undefined {
  if (error instanceof ConditionalCheckFailedException) return [error.Item && fromItem(error.Item)];
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = error.CancellationReasons ?? [];
  const failed = (index: number) => reasons[index]?.Code === 'ConditionalCheckFailed';
  if (!writes.some((_, index) => failed(index))) return undefined;
  return writes.map(({ seen }, index) => {
    const item = reasons[index]?.Item;
    return failed(index) ? item && fromItem(item) : seen;
  });
}

/** An item is where a lock should be, and is none that this version of pawl knows. It is left as it is. */
export class UnknownLockError extends Error {
  override readonly name = 'UnknownLockError';
  /** The item's. It may identify a person, and is no part of the message. */
  readonly id: string;
  constructor(id: string) {
    super("an item is no lock of pawl's schema 1");
    this.id = id;
  }
}

/** @throws UnknownLockError when the item is not of a schema this version knows */
function fromItem(item: Item): StoredRecord {
  // Deciding upon a record that is only half understood could give a held resource away.
  if (item['v']?.S !== 'lock-1') throw new UnknownLockError(item['id']?.S ?? '');
  return fieldsOf(item) as StoredRecord;
}
