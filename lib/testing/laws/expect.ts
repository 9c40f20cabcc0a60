import { AssertionError } from 'node:assert';

/**
 * Compares what a store did with what a law expects, field by field. A field that is `undefined` is the same as one that is absent, and an
 * object's class does not count: a driver may build its records in any way.
 *
 * @param did what the store did, as the beginning of a sentence
 * @param why what goes wrong in production where a store does this
 * @throws AssertionError that names the first field that differs
 */
export function expectSame(did: string, found: unknown, expected: unknown, why: string): void {
  const difference = differenceOf(found, expected, '');
  if (difference === undefined) return;
  throw new AssertionError({
    message: `${did}: ${difference}. ${why}`,
    actual: found,
    expected,
    // Not `deepStrictEqual`: Node would append a second account of the difference to the message.
    operator: 'expectSame',
    stackStartFn: expectSame,
  });
}

/**
 * @param did what the store did that it must not do, as a sentence without its full stop
 * @throws AssertionError unless `ok`
 */
export function expectThat(ok: boolean, did: string, why: string): void {
  if (!ok) throw new AssertionError({ message: `${did}. ${why}`, stackStartFn: expectThat });
}

/** Whether `expectSame` would accept it. */
export const isSame = (found: unknown, expected: unknown): boolean => differenceOf(found, expected, '') === undefined;

/** The first difference between two values, in words; nothing, if there is none. */
function differenceOf(found: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(found, expected)) return undefined;
  if (!isObject(found) || !isObject(expected) || Array.isArray(found) !== Array.isArray(expected)) {
    return `${path === '' ? 'it' : path} is ${shown(found)}, expected ${shown(expected)}`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const difference = differenceOf(
      Reflect.get(found, name),
      Reflect.get(expected, name),
      path === '' ? name : `${path}.${name}`,
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const mostShown = 200;

/** A value, with its type where that alone may be the difference: drivers return large integers as texts. */
function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'object') return JSON.stringify(value).slice(0, mostShown);
  if (typeof value === 'string') return `the text ${JSON.stringify(value).slice(0, mostShown)}`;
  return `the ${typeof value} ${String(value)}`;
}
