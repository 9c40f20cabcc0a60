import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { recordedError } from '../../kernel/recorded-error.ts';

/** The parts of an action that hold attributes. The SDK's document client gives the same ones their types. */
const attributeParts: readonly string[] = ['Item', 'Key', 'ExpressionAttributeValues'];

/**
 * An action of a transaction, as users of the document client write it, with the types of its attributes.
 *
 * @throws Error for a value that DynamoDB cannot hold, such as NaN. It names the part
 */
export function marshallAction(action: object): TransactWriteItem {
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
