import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { pageAt } from '../../kernel/error-code.ts';
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

/** Reasons that pass by themselves: another transaction was at the same items, or the table is throttled in part. */
const passing: readonly unknown[] = ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];
const busy: readonly unknown[] = ['TransactionConflictException', 'TransactionInProgressException'];

/** Whether a request met another transaction, or was throttled in part. Nothing was applied. The SDK does not send it again by itself. */
export function isConflict(error: unknown): boolean {
  if (busy.includes(propertyOf(error, 'name'))) return true;
  const reasons = cancellationOf(error) ?? [];
  return reasons.length > 0 && reasons.every(({ Code = 'None' }) => passing.includes(Code));
}

/**
 * The index of open claims cannot be read yet. Claims are not affected.
 *
 * @example
 * const page = await store.listOpen({ limit: 100 }).catch((error) => {
 *   if (error instanceof OpenIndexError && error.reason === 'building') return undefined; // again in a few minutes
 *   throw error;
 * });
 */
export class OpenIndexError extends Error {
  override readonly name = 'OpenIndexError';
  /** `missing`: the table was deployed without it. `building`: DynamoDB is still at it. */
  readonly reason: 'missing' | 'building';
  constructor(reason: 'missing' | 'building', message: string, options: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What it means that a query of the index of open claims failed: an `OpenIndexError`, or the error itself. */
export function openIndexError(error: unknown, tableName: string): unknown {
  const name = propertyOf(error, 'name');
  const message = String(propertyOf(error, 'message'));
  if (name !== 'ValidationException' && name !== 'ResourceNotFoundException') return error;
  if (message.includes('does not have the specified index')) {
    const text =
      `The table ${tableName} has no index of open claims. Deploy ClaimsTable, or add the index to your table as ` +
      `${pageAt('docs/reference/table.md')} describes it. Consumers do not need it.`;
    return new OpenIndexError('missing', text, { cause: error });
  }
  if (message.includes('backfilling')) {
    const text = `DynamoDB is still building the index of open claims of ${tableName}. Try again in a few minutes.`;
    return new OpenIndexError('building', text, { cause: error });
  }
  return error;
}
