import type { AttributeValue, BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { RecordState } from '../../kernel/record.ts';
import type { ClaimRecord } from '../../rules/record.ts';
import { type ClaimWrite, claimState } from '../../rules/store.ts';
import { whereOf } from './condition.ts';
import { toAttribute } from './item.ts';

/**
 * One write as a PartiQL statement: an `INSERT`, which is refused when the id is there; or an `UPDATE` of what differs from
 * the record that was seen, which is refused unless the record is still that one.
 */
export function statementOf(table: string, { next, seen }: ClaimWrite): BatchStatementRequest {
  if (seen === undefined) {
    const names = namesOf(next).filter((name) => next[name] !== undefined);
    const Parameters = names.map((name) => toAttribute(next[name]) as AttributeValue);
    return { Statement: `INSERT INTO "${table}" VALUE {'${names.join("':?,'")}':?}`, Parameters };
  }
  return updateOf(table, { next, seen }, claimState(seen));
}

/** An `UPDATE` of what differs from the record that was seen, which is refused unless that is its state. It makes no item. */
export function updateOf(
  table: string,
  { next, seen }: { readonly next: object; readonly seen: { readonly id: string } },
  state: RecordState,
): BatchStatementRequest {
  const Parameters: AttributeValue[] = [];
  /** Takes a parameter, and returns the text that stands for it. */
  const given = (value: unknown) => {
    Parameters.push(toAttribute(value) as AttributeValue);
    return '?';
  };
  let Statement = `UPDATE "${table}"`;
  const [after, before] = [new Map(Object.entries(next)), new Map(Object.entries(seen))];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const value: unknown = after.get(name);
    if (value === before.get(name)) continue;
    Statement += value === undefined ? ` REMOVE "${name}"` : ` SET "${name}"=${given(value)}`;
  }
  return {
    Statement: `${Statement} WHERE ${whereOf(seen.id, state, given)}`,
    Parameters,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function namesOf(record: ClaimRecord): readonly (keyof ClaimRecord)[] {
  return Object.keys(record) as (keyof ClaimRecord)[];
}
