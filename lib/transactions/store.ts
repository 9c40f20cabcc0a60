import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { ListsOpenClaims } from '../claims/open-claims.ts';
import { type ClaimStore, type ClaimWrite, claimState, type WriteResult } from '../claims/store.ts';
import { recordedError } from '../kernel/recorded-error.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { conditionOf } from '../stores/dynamodb/condition.ts';
import { cancellationOf, conditionFailed, isHopeless } from '../stores/dynamodb/errors.ts';
import { fromItem } from '../stores/dynamodb/item.ts';
import { tableOf } from '../stores/dynamodb/options.ts';
import { restoreOf } from '../stores/dynamodb/restored.ts';
import { type DynamoStoreOptions, dynamoStore, dynamoStoreOptionNames } from '../stores/dynamodb/store.ts';

/** One write of the application's, as `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` takes it: Put, Update, Delete, ConditionCheck. */
export type AppWrite = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Why one of the application's writes, by its index, kept the transaction from being applied. */
export interface Refusal {
  readonly index: number;
  /** DynamoDB's: `ConditionalCheckFailed`, `ValidationError`, … */
  readonly code: string;
  readonly message: string;
  /** What stands there, if the write asked for it with `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'`. */
  readonly item?: Record<string, unknown> | undefined;
}

/** A write that was not applied because of the application's part of it says so; the claim is as it was. */
export type CommitResult = WriteResult | { readonly applied: false; readonly refused: readonly Refusal[] };

/** A claim store that can commit writes of the application's together with a write of a claim. */
export interface TransactionalStore extends ClaimStore {
  /** Applies the write of the claim and all of the application's, or none. A call that rejects leaves it unknown which. */
  commit(write: ClaimWrite, writes: readonly AppWrite[]): Promise<CommitResult>;
  /**
   * Whether the table was restored from a point in time, and may have forgotten what was committed since. `eachTransaction` parks then what it
   * does not find.
   */
  mayHaveForgotten?(): Promise<boolean>;
}

/** DynamoDB takes 100 actions in a transaction, and one is the claim. */
export const mostWrites = 99;

/**
 * Claims in a DynamoDB table, as `dynamoStore`, whose writes can carry the application's: `commit`, `inPhases` and
 * `eachTransaction` need it.
 *
 * Needs, besides what `dynamoStore` needs, `dynamodb:PutItem` on the claims table, and on the application's tables whatever its
 * writes need.
 *
 * @throws OptionError at once when an option is wrong; at the first call when the table's name is missing
 * @example
 * const store = transactionalStore({ tableName: process.env.CLAIMS_TABLE });
 */
export function transactionalStore(options: DynamoStoreOptions): TransactionalStore & ListsOpenClaims {
  expectOptions(options, { door: 'transactionalStore', known: dynamoStoreOptionNames, docs: 'docs/transactions.md' });
  const { nameOfTable, client } = tableOf(options);
  const restore = options.restored === true ? restoreOf(client, nameOfTable) : async () => undefined;
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions });

  return {
    ...dynamoStore({ ...options, client }),
    mayHaveForgotten: async () => (await restore()) !== undefined,
    async commit({ next, seen }, writes) {
      // The key is not known to be new. Its message takes a claim, which finds it in doubt.
      if (seen === undefined && (await restore()) !== undefined) return { applied: false, found: undefined };
      const { expression, names, values } = conditionOf(seen && claimState(seen));
      const claim = {
        TableName: nameOfTable(),
        Item: { ...next },
        ConditionExpression: expression,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      } as const;
      const unsendable = writes.flatMap(unsendableOf);
      if (unsendable.length > 0) return { applied: false, refused: unsendable };
      try {
        await documents.send(new TransactWriteCommand({ TransactItems: [{ Put: claim }, ...writes] }));
        return { applied: true };
      } catch (error) {
        const [ours, ...theirs] = cancellationOf(error) ?? [];
        if (ours?.Code === conditionFailed) return { applied: false, found: ours.Item && fromItem(ours.Item) };
        const refused = theirs.flatMap((reason, index) => refusalOf(reason, index));
        if (refused.length > 0) return { applied: false, refused };
        if (isHopeless(error)) return { applied: false, refused: [malformed(error)] };
        // Another transaction was at the same items, or the table is throttled: it may work the next time.
        throw error;
      }
    },
  };
}

const marshallOptions = { removeUndefinedValues: true };

/**
 * A write with a value that DynamoDB cannot hold, NaN say, never leaves this machine: it is refused like one that a condition
 * refused, and must not look like a table that cannot be reached.
 */
function unsendableOf(write: AppWrite, index: number): readonly Refusal[] {
  for (const action of Object.values(write)) {
    for (const [part, values] of Object.entries(action ?? {})) {
      if (typeof values !== 'object') continue;
      try {
        marshall(values, marshallOptions);
      } catch (error) {
        // The SDK's text names the kind of value. Its stack and its input stay here.
        const { message } = recordedError(error);
        return [{ index, code: 'ValidationError', message: `${part}: ${message}` }];
      }
    }
  }
  return [];
}

/** What passes by itself is no refusal. */
const lasting: readonly string[] = [
  conditionFailed,
  'ValidationError',
  'ItemCollectionSizeLimitExceeded',
  'DuplicateItem',
];

function refusalOf({ Code = '', Message = '', Item }: CancellationReason, index: number): readonly Refusal[] {
  if (!lasting.includes(Code)) return [];
  return [{ index, code: Code, message: Message, item: Item && unmarshall(Item) }];
}

/** The request as a whole was refused: nothing was applied, and never will be. */
function malformed(error: unknown): Refusal {
  const { name, message } = recordedError(error);
  return { index: -1, code: name, message };
}
