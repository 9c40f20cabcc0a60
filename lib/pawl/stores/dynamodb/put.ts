import type { DynamoTransport } from '../../aws/aws.ts';
import type { RecordState, Written } from '../../kernel/record.ts';
import { type ClaimWrite, claimState, type WriteResult } from '../../rules/store.ts';
import { call } from './calls.ts';
import { conditionOf } from './condition.ts';
import { refusedBy } from './errors.ts';
import { fromItem, type Item, toItem } from './item.ts';

/** One record to put, and the state of the one that it may replace: `undefined` where there was none. */
export interface Put {
  readonly TableName: string;
  readonly next: object;
  readonly seen: RecordState | undefined;
}

/** One conditional write with a request of its own. @param read makes a record of what stands there instead */
export async function put<R>(
  transport: DynamoTransport,
  { TableName, next, seen }: Put,
  read: (item: Item) => R,
): Promise<Written<R>> {
  const { expression, names, values } = conditionOf(seen);
  try {
    await call(transport, 'PutItem', {
      TableName,
      Item: toItem(next),
      ConditionExpression: expression,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values && toItem(values),
      // What stands there comes back with a refusal, for nothing: no second request to see whom we lost to.
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    return { applied: true };
  } catch (error) {
    const refused = refusedBy(error);
    if (refused === undefined) throw error;
    return { applied: false, found: refused.item && read(refused.item) };
  }
}

/** The same, of a claim. */
export function putClaim(
  transport: DynamoTransport,
  TableName: string,
  { next, seen }: ClaimWrite,
): Promise<WriteResult> {
  return put(transport, { TableName, next, seen: seen && claimState(seen) }, fromItem);
}
