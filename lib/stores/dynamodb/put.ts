import { type ClaimWrite, claimState, type WriteResult } from '../../claims/store.ts';
import { call } from './calls.ts';
import { conditionOf } from './condition.ts';
import { refusedBy } from './errors.ts';
import { fromItem, toItem } from './item.ts';
import type { DynamoTransport } from './transport.ts';

/** One conditional write with a request of its own. */
export async function put(
  transport: DynamoTransport,
  TableName: string,
  { next, seen }: ClaimWrite,
): Promise<WriteResult> {
  const { expression, names, values } = conditionOf(seen && claimState(seen));
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
    return { applied: false, found: refused.item && fromItem(refused.item) };
  }
}
