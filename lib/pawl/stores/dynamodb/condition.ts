import type { RecordState } from '../../kernel/record.ts';

/**
 * `isStill` of the kernel, in DynamoDB's two languages: under which condition a write may replace the record that was seen. Nothing else in pawl
 * says it.
 */

/** A condition for `PutItem` and for transactions. The values are by placeholder, as they are, for the caller's marshalling. */
export interface Condition {
  readonly expression: string;
  readonly names?: Record<string, string>;
  readonly values?: Record<string, string | number>;
}

/**
 * @param seen the state of the record that was decided upon; `undefined`: there was none
 * @param mark goes behind each placeholder of a value, so that other expressions of the same request can have theirs
 */
export function conditionOf(seen: RecordState | undefined, mark = ''): Condition {
  if (seen === undefined) return { expression: 'attribute_not_exists(id)' };
  const names: Record<string, string> = {};
  const values: Record<string, string | number> = {};
  const parts = Object.entries(seen).map(([name, value]) => {
    names[`#${name}`] = name;
    values[`:${name}${mark}`] = value;
    return `#${name} = :${name}${mark}`;
  });
  return { expression: parts.join(' AND '), names, values };
}

/** The record is in one of these states; `undefined`: there is none. */
export function conditionOfAny(states: readonly (RecordState | undefined)[]): Condition {
  const all = states.map((state, index) => conditionOf(state, `${index}`));
  return {
    expression: all.map(({ expression }) => `(${expression})`).join(' OR '),
    names: Object.assign({}, ...all.map(({ names }) => names)),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  };
}

/**
 * The same as the `WHERE` of a PartiQL statement.
 *
 * @param parameter takes a value, and returns the text that stands for it
 */
export function whereOf(id: string, seen: RecordState, parameter: (value: string | number) => string): string {
  let where = `"id"=${parameter(id)}`;
  for (const [name, value] of Object.entries(seen)) {
    where += ` AND "${name}"=${parameter(value)}`;
  }
  return where;
}
