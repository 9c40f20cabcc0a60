import { conditionOfAny } from '../../stores/dynamodb/condition.ts';
import type { SegmentRecord, WorkName } from '../progress.ts';
import type { TransactAction } from './transact-action.ts';

/**
 * Versions before named works (schema 'work-1') knew a request by its id alone: its segments are `#work#<id>#<index>`. For the minutes of a
 * deployment, such a version works beside this one on one table. Two things must not happen: that this version repeats what such a version
 * has done, and that such a version begins from the start what this one has begun.
 *
 * Both are prevented at the item where such a version keeps its first segment. The transaction that begins a named work looks at it:
 *
 * | found there | what follows |
 * | --- | --- |
 * | nothing | the guard is written. An older version finds another total and fingerprint there, and refuses with WorkChangedError |
 * | the guard | the work of this name begins, or goes on, under its name |
 * | a segment without a name, or with this one | the work goes on there: an older version has begun it |
 * | a segment with another name | an older version has begun that other work. This one is kept under its own name |
 */

/** Where the segments of a work are kept. */
export interface Place {
  readonly kind: 'named' | 'unnamed';
  readonly prefix: string;
  /** The schema of what is written there. */
  readonly v: string;
}

export function namedPlace({ id, work }: WorkName): Place {
  return { kind: 'named', prefix: `#work#${id}#${work}#`, v: 'work-2' };
}

/** As versions before named works have it. */
export function unnamedPlace({ id }: Pick<WorkName, 'id'>): Place {
  return { kind: 'unnamed', prefix: `#work#${id}#`, v: 'work-1' };
}

export function segmentId({ prefix }: Place, index: number): string {
  return `${prefix}${index}`;
}

/** What an older version finds where it looks for its first segment. It has no `next`, because it is no segment. */
const guard = { total: 0, fingerprint: 'named', v: 'work-2' };

/** Whether what is found at a place is a segment of this work. */
export function isSegmentOf(found: SegmentRecord | undefined, work: string): boolean {
  return found?.work === work || (found?.work === undefined && found?.next !== undefined);
}

/**
 * Writes the guard, or leaves what allows the work to be kept under its name. Fails where the work goes on in the unnamed place: in the third row
 * of the table. This is no "still as seen": whatever the item is in detail, it stays as it is.
 */
export function guarding(tableName: string, { id, work }: WorkName, expiresAt: number): TransactAction {
  const names = ['total', 'fingerprint', 'v', 'work', 'expiresAt'];
  const free = conditionOfAny([undefined, { fingerprint: guard.fingerprint }]);
  return {
    Update: {
      TableName: tableName,
      Key: { id: segmentId(unnamedPlace({ id }), 0) },
      UpdateExpression:
        'SET #total = if_not_exists(#total, :total), #fingerprint = if_not_exists(#fingerprint, :fingerprint), ' +
        '#v = if_not_exists(#v, :v), #expiresAt = :expiresAt',
      ConditionExpression: `${free.expression} OR (attribute_exists(#work) AND #work <> :work)`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...free.values,
        ':total': guard.total,
        ':fingerprint': guard.fingerprint,
        ':v': guard.v,
        ':work': work,
        ':expiresAt': expiresAt,
      },
    },
  };
}
