import type { ClaimRecord } from '../../core/record.ts';
import { identifying } from '../../core/store.ts';
import { toItem } from './item.ts';

/** `unchanged`, in DynamoDB's language: the condition under which a write may replace what was seen. */
export function unchangedCondition(seen: ClaimRecord | undefined) {
  if (seen === undefined) return { ConditionExpression: 'attribute_not_exists(id)' };
  return {
    ConditionExpression: identifying.map((name) => `#${name} = :${name}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(identifying.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: toItem(Object.fromEntries(identifying.map((name) => [`:${name}`, seen[name]]))),
  };
}
