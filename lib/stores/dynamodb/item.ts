import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../core/record.ts';

export type Item = Record<string, AttributeValue>;

/** How each attribute of a record is kept. The one place that knows both forms. */
const kinds = {
  id: 'S',
  status: 'S',
  claimId: 'S',
  fence: 'N',
  leaseUntil: 'N',
  firstSeenAt: 'N',
  attempts: 'N',
  abandoned: 'N',
  unknownAt: 'N',
  fingerprint: 'S',
  result: 'S',
  resultOmitted: 'S',
  error: 'M',
  expiresAt: 'N',
  v: 'N',
} as const satisfies Record<keyof ClaimRecord, 'S' | 'N' | 'M'>;

const entries = Object.entries(kinds) as [keyof ClaimRecord, 'S' | 'N' | 'M'][];
export const attributeNames = entries.map(([name]) => name);

/** One attribute in DynamoDB's form, or `undefined` where the record does not have it. */
export function toAttribute(record: ClaimRecord, name: keyof ClaimRecord): AttributeValue | undefined {
  const value = record[name];
  if (value === undefined) return undefined;
  if (typeof value === 'object') return { M: { name: { S: value.name }, message: { S: value.message } } };
  return { [kinds[name]]: String(value) } as unknown as AttributeValue;
}

export function toItem(record: ClaimRecord): Item {
  const item: Item = {};
  for (const name of attributeNames) {
    const attribute = toAttribute(record, name);
    if (attribute !== undefined) item[name] = attribute;
  }
  return item;
}

/** @throws Error when the item is not a claim of a schema this version knows */
export function fromItem(item: Item): ClaimRecord {
  // Deciding upon a record that is only half understood could run an effect twice.
  if (item['v']?.N !== '1' || item['claimId']?.S === undefined) {
    throw new Error(
      `the item ${item['id']?.S} is no claim that this version of pawl understands; expected v = 1. ` +
        'Is the table used by something else, or by a newer version?',
    );
  }
  const record: Record<string, unknown> = {};
  for (const [name, kind] of entries) {
    const attribute = item[name];
    if (attribute === undefined) continue;
    if (kind === 'S') record[name] = attribute.S;
    else if (kind === 'N') record[name] = Number(attribute.N);
    else record[name] = { name: attribute.M?.['name']?.S, message: attribute.M?.['message']?.S };
  }
  return record as unknown as ClaimRecord;
}
