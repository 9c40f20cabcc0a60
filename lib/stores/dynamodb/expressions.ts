import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../core/record.ts';
import type { Expectation } from '../../core/store.ts';
import { attributeNames, toAttribute } from './item.ts';

/** The parts of a conditional update, as `UpdateItem` takes them. */
export interface UpdateExpression {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, AttributeValue>;
}

/** What `holds` asks of a record for `unchanged`: every transition changes at least one of these. */
const identifying = ['claimId', 'status', 'fence', 'leaseUntil', 'attempts'] as const;

/** `holds`, in DynamoDB's language, for what is expected not to be there. */
export const absentCondition = 'attribute_not_exists(id)';

/**
 * An update from the record a write expects to the record it makes. Only what differs is named: the owner's renewal and
 * its completion do not overwrite each other's attributes, and the item's untouched ones are not sent.
 */
export function updateExpression(next: ClaimRecord, expect: Exclude<Expectation, { kind: 'absent' }>): UpdateExpression {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  const sets: string[] = [];
  const removes: string[] = [];

  for (const name of attributeNames) {
    if (name === 'id' || next[name] === expect.record[name]) continue;
    const attribute = toAttribute(next, name);
    names[`#${name}`] = name;
    if (attribute === undefined) {
      removes.push(`#${name}`);
    } else {
      sets.push(`#${name} = :${name}`);
      values[`:${name}`] = attribute;
    }
  }

  const conditions: string[] = [];
  const expected = (name: (typeof identifying)[number], value: AttributeValue | undefined) => {
    if (value === undefined) return;
    names[`#${name}`] = name;
    values[`:was_${name}`] = value;
    conditions.push(`#${name} = :was_${name}`);
  };
  if (expect.kind === 'owned') {
    expected('claimId', toAttribute(expect.record, 'claimId'));
    expected('status', { S: 'in-flight' });
  } else {
    for (const name of identifying) expected(name, toAttribute(expect.record, name));
  }

  return {
    UpdateExpression: [sets.length > 0 && `SET ${sets.join(', ')}`, removes.length > 0 && `REMOVE ${removes.join(', ')}`]
      .filter(Boolean)
      .join(' '),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}
