import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { propertyOf } from '../../kernel/unknown.ts';
import type { Item } from './item.ts';

/**
 * What DynamoDB's errors mean. They are told apart by their names, as AWS documents them: an `instanceof` fails where an
 * application has two copies of the SDK.
 */

/** A condition was not met. `item` is what stands there, if the request asked for it and there is one. */
export function refusedBy(error: unknown): { readonly item: Item | undefined } | undefined {
  if (propertyOf(error, 'name') !== 'ConditionalCheckFailedException') return undefined;
  return { item: propertyOf(error, 'Item') as Item | undefined };
}

/** Why a transaction was cancelled, by the index of its actions; nothing when the error is another one. */
export function cancellationOf(error: unknown): readonly CancellationReason[] | undefined {
  if (propertyOf(error, 'name') !== 'TransactionCanceledException') return undefined;
  return (propertyOf(error, 'CancellationReasons') ?? []) as readonly CancellationReason[];
}

/** A reason of a cancelled transaction, and an error of a statement: the condition of that action was not met. */
export const conditionFailed = 'ConditionalCheckFailed';

/** What a request holds is refused, whatever the state of the table and of DynamoDB: a number out of range, an item that is too large, text that is none. */
const aboutContents: readonly unknown[] = ['ValidationException', 'SerializationException', 'RequestEntityTooLarge'];

/** Whether a request was refused for what it holds. Of a shared request, one part may be the reason, and the others may be in order. */
export function isAboutContents(error: unknown): boolean {
  return aboutContents.includes(propertyOf(error, 'name'));
}

/** A request that makes no sense, a table that is not there, a permission that is missing: no repetition helps. */
const hopeless: readonly unknown[] = [
  ...aboutContents,
  'ResourceNotFoundException',
  'AccessDeniedException',
  // The same, of one statement.
  'ValidationError',
  'ResourceNotFound',
  'AccessDenied',
];

export function isHopeless(error: unknown): boolean {
  return hopeless.includes(propertyOf(error, 'name'));
}

/** A table, or an account, is asked for more than it can do: the errors of statements, and of requests. */
const throttled = /^(Throttling|ProvisionedThroughput|RequestLimit)E/;

export function isThrottled(error: unknown): boolean {
  return throttled.test(String(propertyOf(error, 'name')));
}

/** Reasons that pass by themselves: another transaction was at the same items, or the table is throttled in part. */
const passing: readonly unknown[] = ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];
const busy: readonly unknown[] = ['TransactionConflictException', 'TransactionInProgressException'];

/** Whether a request met another transaction, or was throttled in part. Nothing was applied. The SDK does not send it again by itself. */
export function isConflict(error: unknown): boolean {
  if (busy.includes(propertyOf(error, 'name'))) return true;
  const reasons = cancellationOf(error) ?? [];
  return reasons.length > 0 && reasons.every(({ Code = 'None' }) => passing.includes(Code));
}
