import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type ClaimRecord, understood } from '../../rules/record.ts';

export type Item = Record<string, AttributeValue>;

/** One value in DynamoDB's form: texts, numbers, and maps of texts. `undefined` where the record does not have it. */
export function toAttribute(value: unknown): AttributeValue | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null) return { M: toItem(value) };
  return typeof value === 'number' ? { N: String(value) } : { S: String(value) };
}

export function toItem(fields: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = toAttribute(value);
    if (attribute !== undefined) item[name] = attribute;
  }
  return item;
}

/**
 * @throws Error when the item is not a claim that this version understands. Its key is not in the text: that goes to
 * listeners which are to see hashed keys only
 */
export function fromItem(item: Item): ClaimRecord {
  const record = fieldsOf(item) as ClaimRecord;
  understood(record);
  return record;
}

export function fieldsOf(item: Item): object {
  const fields: Record<string, unknown> = {};
  for (const [name, { S, N, M }] of Object.entries(item))
    fields[name] = M ? fieldsOf(M) : N === undefined ? S : Number(N);
  return fields;
}
