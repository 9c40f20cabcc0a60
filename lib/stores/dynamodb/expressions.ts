import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../core/record.ts';
import { identifying } from '../../core/store.ts';
import { attributeNames, toAttribute } from './item.ts';

/** `unchanged`, in DynamoDB's language, for a record that was not there. */
export const absentCondition = 'attribute_not_exists(id)';

/**
 * An update from the record that was seen to the next one, as `UpdateItem` takes it, on condition that it is `unchanged`.
 * Only what differs is named, so that what is untouched is not sent.
 */
export function updateExpression(next: ClaimRecord, seen: ClaimRecord) {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  const sets: string[] = [];
  const removes: string[] = [];
  const conditions: string[] = [];

  for (const name of attributeNames) {
    if (next[name] === seen[name]) continue;
    names[`#${name}`] = name;
    const attribute = toAttribute(next, name);
    if (attribute === undefined) {
      removes.push(`#${name}`);
    } else {
      sets.push(`#${name} = :${name}`);
      values[`:${name}`] = attribute;
    }
  }
  for (const name of identifying) {
    const attribute = toAttribute(seen, name);
    if (attribute === undefined) continue;
    names[`#${name}`] = name;
    values[`:was_${name}`] = attribute;
    conditions.push(`#${name} = :was_${name}`);
  }

  return {
    // A transition always sets something: at the least the status or the lease.
    UpdateExpression: `SET ${sets.join(', ')}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}
