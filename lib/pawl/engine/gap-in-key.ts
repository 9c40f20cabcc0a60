import { warnOnce } from '../kernel/warn-once.ts';

/** What a template makes of a field that is not there. */
const absent = new Set(['undefined', 'null', 'NaN']);

/**
 * Warns, once in a cold start, of a key that looks like a template with a missing field: `bucket/undefined`, or `-` and `{}`, where all are missing. Two
 * inputs that lack the field share it. It is not refused: `null` may be somebody's name, and `/` a path.
 */
export function warnOfGap(operation: string, key: string): void {
  const gap = key.split(/[^A-Za-z0-9]+/).find((part) => absent.has(part));
  const isEmpty = !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(key);
  if (gap === undefined && !isEmpty) return;
  const has = isEmpty ? 'no letter and no digit' : `the text '${gap}'`;
  const said = `a key of operation '${operation}' has ${has} in it, as ${isEmpty ? 'join or JSON' : 'a template'} makes it of a missing field`;
  warnOnce(
    'missing-key',
    `${operation} gap`,
    `${said}. Take compositeKey of 'pawl', which refuses such an input, or test the field first`,
  );
}
