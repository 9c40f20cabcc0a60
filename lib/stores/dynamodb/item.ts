import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord, ClaimStatus } from '../../core/record.ts';

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

export const attributeNames = Object.keys(kinds) as readonly (keyof ClaimRecord)[];

/** One attribute in DynamoDB's form, or `undefined` where the record does not have it. */
export function toAttribute(record: ClaimRecord, name: keyof ClaimRecord): AttributeValue | undefined {
  const value = record[name];
  if (value === undefined) return undefined;
  if (typeof value === 'object') return { M: { name: { S: value.name }, message: { S: value.message } } };
  return kinds[name] === 'N' ? { N: String(value) } : { S: String(value) };
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
  const fields: Record<string, unknown> = {};
  for (const name of attributeNames) {
    const attribute = item[name];
    if (attribute === undefined) continue;
    if (attribute.N !== undefined) fields[name] = Number(attribute.N);
    else if (attribute.S !== undefined) fields[name] = attribute.S;
    else if (attribute.M !== undefined) {
      fields[name] = { name: attribute.M['name']?.S ?? 'Error', message: attribute.M['message']?.S ?? '' };
    }
  }
  const statuses: readonly ClaimStatus[] = ['in-flight', 'released', 'completed', 'rejected', 'parked'];
  const known =
    fields['v'] === 1 &&
    statuses.includes(fields['status'] as ClaimStatus) &&
    typeof fields['claimId'] === 'string' &&
    [fields['fence'], fields['leaseUntil'], fields['firstSeenAt'], fields['attempts'], fields['abandoned']].every(
      (number) => typeof number === 'number' && Number.isFinite(number),
    );
  if (!known) {
    // Deciding upon a record that is only half understood could run an effect twice.
    throw new Error(
      `the item ${String(fields['id'])} is not a claim of schema version 1; expected a table that only pawl writes to. ` +
        'Give the consumer a claims table of its own, or deploy the newer version of pawl to all its workers',
    );
  }
  return fields as unknown as ClaimRecord;
}
