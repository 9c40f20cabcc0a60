import type { AttributeValue, BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { ClaimRecord } from '../../core/record.ts';
import type { ClaimWrite } from '../../core/store.ts';
import { comparedOf, hasRevision } from './condition.ts';
import { toItem } from './item.ts';

/**
 * One write as a PartiQL statement: an `INSERT`, which is refused when the id is there; or an `UPDATE` of what differs from
 * the record that was seen, which is refused unless that is `unchanged`.
 */
export function statementOf(table: string, { next, seen }: ClaimWrite): BatchStatementRequest {
  const item = toItem(next);
  const Parameters: AttributeValue[] = [];
  /** Takes a parameter, and answers the text that stands for it. */
  const given = (value: AttributeValue | undefined) => {
    Parameters.push(value as AttributeValue);
    return '?';
  };
  if (seen === undefined) {
    const fields = Object.entries(item).map(([name, value]) => `'${name}':${given(value)}`);
    return { Statement: `INSERT INTO "${table}" VALUE {${fields}}`, Parameters };
  }
  const before = toItem(seen);
  let Statement = `UPDATE "${table}"`;
  for (const name of Object.keys({ ...before, ...item }) as (keyof ClaimRecord)[]) {
    if (item[name] === undefined) Statement += ` REMOVE "${name}"`;
    else if (next[name] !== seen[name]) Statement += ` SET "${name}"=${given(item[name])}`;
  }
  const same = ['id', ...comparedOf(seen)].map((name) => `"${name}"=${given(before[name])}`);
  if (!hasRevision(seen)) same.push('"rev" IS MISSING');
  return {
    Statement: `${Statement} WHERE ${same.join(' AND ')}`,
    Parameters,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
