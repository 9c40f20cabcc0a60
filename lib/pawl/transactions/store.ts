import type { CancellationReason, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { recordedError } from '../kernel/recorded-error.ts';
import { type ClaimStore, type ClaimWrite, claimState, type WriteResult } from '../rules/store.ts';
import { call } from '../stores/dynamodb/calls.ts';
import { conditionOf } from '../stores/dynamodb/condition.ts';
import { cancellationOf, conditionFailed, isHopeless } from '../stores/dynamodb/errors.ts';
import { fromItem, toItem } from '../stores/dynamodb/item.ts';
import { marshallAction, type TransactAction } from '../stores/dynamodb/marshall-action.ts';
import type { DynamoStore } from '../stores/dynamodb/store.ts';
import { tableOf } from '../stores/dynamodb/table.ts';
import type { Refusal } from './refused.ts';

/** One write of the application's, as `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` takes it: Put, Update, Delete, ConditionCheck. */
export type AppWrite = TransactAction;

/** What became of a write with the application's writes. `refused`: a condition of the application's failed, nothing was applied, and the claim is as before. */
export type CommitResult = WriteResult | { readonly applied: false; readonly refused: readonly Refusal[] };

/** A claim store that can commit writes of the application's together with a write of a claim. */
export interface TransactionalStore extends ClaimStore {
  /** Applies the write of the claim and all of the application's, or none. A call that rejects leaves it unknown which. */
  commit(write: ClaimWrite, writes: readonly AppWrite[]): Promise<CommitResult>;
}

/** DynamoDB takes 100 actions in a transaction, and one is the claim. */
export const mostWrites = 99;

/**
 * The claims of a `dynamoStore`, whose writes can carry the application's: `commit`, `inPhases` and `eachTransaction` need it.
 *
 * Needs, besides what `dynamoStore` needs, `dynamodb:PutItem` on the claims table, and on the application's tables whatever its
 * writes need.
 *
 * @throws OptionError unless the store is a `dynamoStore`, or an `individualDynamoStore`
 * @example
 * import { dynamoStore } from 'pawl/dynamodb'; // or 'pawl/dynamodb/lean'
 *
 * const store = transactionalStore(dynamoStore({ tableName: process.env.CLAIMS_TABLE }));
 */
export function transactionalStore(store: DynamoStore): TransactionalStore & DynamoStore {
  const { nameOfTable, aws, restore } = tableOf('transactionalStore', store);
  return {
    ...store,
    async commit({ next, seen }, writes) {
      // The key is not known to be new. Its message takes a claim, which finds it in doubt.
      if (seen === undefined && (await restore?.ofClaim(next.id)) !== undefined)
        return { applied: false, found: undefined };
      const { expression, names, values } = conditionOf(seen && claimState(seen));
      const claim: TransactWriteItem['Put'] = {
        TableName: nameOfTable(),
        Item: toItem(next),
        ConditionExpression: expression,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values && toItem(values),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      };
      const sendable = writes.map(sendableOf);
      const unsendable = sendable.flatMap((one) => (one.kind === 'refused' ? one.refusal : []));
      if (unsendable.length > 0) return { applied: false, refused: unsendable };
      const theirs = sendable.flatMap((one) => (one.kind === 'sendable' ? one.action : []));
      try {
        await call(aws.dynamodb, 'TransactWriteItems', { TransactItems: [{ Put: claim }, ...theirs] });
        return { applied: true };
      } catch (error) {
        const [ours, ...others] = cancellationOf(error) ?? [];
        if (ours?.Code === conditionFailed) return { applied: false, found: ours.Item && fromItem(ours.Item) };
        const refused = others.flatMap((reason, index) => refusalOf(reason, index));
        if (refused.length > 0) return { applied: false, refused };
        if (isHopeless(error)) return { applied: false, refused: [malformed(error)] };
        // Another transaction was at the same items, or the table is throttled: it may work the next time.
        throw error;
      }
    },
  };
}

type Sendable =
  | { readonly kind: 'sendable'; readonly action: TransactWriteItem }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * A write with the types of its attributes.
 *
 * A write with a value that DynamoDB cannot hold, NaN say, never leaves this machine: it is refused like one that a condition
 * refused, and must not look like a table that cannot be reached.
 */
function sendableOf(write: AppWrite, index: number): Sendable {
  try {
    return { kind: 'sendable', action: marshallAction(write) };
  } catch (error) {
    // The SDK's text names the kind of value. Its stack and its input stay here.
    return { kind: 'refused', refusal: { index, code: 'ValidationError', message: recordedError(error).message } };
  }
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
