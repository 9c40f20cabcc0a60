import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../claims/record.ts';
import { explainedError } from '../../kernel/errors.ts';

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

/** The schemas that this version reads. It writes the last one. */
const schemas = ['1', '2'];

/**
 * @throws Error when the item is not a claim of a schema this version knows. Its key is not in the text: that goes to
 * listeners which are to see hashed keys only
 */
export function fromItem(item: Item): ClaimRecord {
  const schema = item['v']?.N;
  // Deciding upon a record that is only half understood could run an effect twice.
  if (schema === undefined || !schemas.includes(schema)) {
    throw explainedError(
      Error,
      `the item under this key is left alone: expected a claim of schema ${schemas.join(' or ')}, found schema ${schema ?? 'none'}`,
      'foreign-item',
    );
  }
  return fieldsOf(item) as ClaimRecord;
}

export function fieldsOf(item: Item): object {
  const fields: Record<string, unknown> = {};
  for (const [name, { S, N, M }] of Object.entries(item))
    fields[name] = M ? fieldsOf(M) : N === undefined ? S : Number(N);
  return fields;
}
