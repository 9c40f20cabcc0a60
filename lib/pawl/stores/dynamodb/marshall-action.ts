import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { recordedError } from '../../kernel/recorded-error.ts';

/** What the actions of a transaction have in common. Attributes are values of JavaScript, as the SDK's document client takes them. */
interface Action {
  readonly TableName: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: object | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE' | undefined;
}

interface OfKey extends Action {
  readonly Key: object | undefined;
}

/**
 * One action of a transaction, as `TransactWriteCommand` of `@aws-sdk/lib-dynamodb` takes it. The type is pawl's own: a consumer without the SDK needs no
 * types of it.
 *
 * @example
 * const action: TransactAction = { Put: { TableName: 'ledger', Item: { id: payment.id, cents: payment.amountCents } } };
 */
export interface TransactAction {
  readonly Put?: (Action & { readonly Item: object | undefined }) | undefined;
  readonly Update?: (OfKey & { readonly UpdateExpression: string | undefined }) | undefined;
  readonly Delete?: OfKey | undefined;
  readonly ConditionCheck?: (OfKey & { readonly ConditionExpression: string | undefined }) | undefined;
}

/** The parts of an action that hold attributes. The SDK's document client gives the same ones their types. */
const attributeParts: readonly string[] = ['Item', 'Key', 'ExpressionAttributeValues'];

/**
 * An action of a transaction with the types of its attributes.
 *
 * @throws Error for a value that DynamoDB cannot hold, such as NaN. It names the part
 * @internal Its type is the SDK's, which a consumer without it does not have.
 */
export function marshallAction(action: TransactAction): TransactWriteItem {
  const marshalled: Record<string, object> = {};
  for (const [name, input] of Object.entries(action)) {
    if (input === undefined) continue;
    const parts: Record<string, unknown> = { ...input };
    for (const part of attributeParts) {
      if (parts[part] === undefined) continue;
      try {
        parts[part] = marshall(parts[part], { removeUndefinedValues: true });
      } catch (cause) {
        throw new Error(`${part}: ${recordedError(cause).message}`, { cause });
      }
    }
    marshalled[name] = parts;
  }
  return marshalled;
}
