import { createHash } from 'node:crypto';

/**
 * The ids of Powertools' records, as its version 2 makes them: `prefix#hash`. The hash is of the payload's JSON, with the keys of its objects in an order that does not look at case.
 *
 * It is copied with what is wrong with it: two orders of `{ a, A }` have two ids, and a `__proto__` is lost. Another id than Powertools' own would be no gate.
 */
export function recordIdOf(prefix: string, payload: unknown, hashFunction: string): string {
  return `${prefix}#${hashOf(payload, hashFunction)}`;
}

/** What Powertools compares of two payloads, too. */
export function hashOf(payload: unknown, hashFunction: string): string {
  const json = JSON.stringify(sorted(payload)) ?? 'undefined';
  return createHash(hashFunction).update(json).digest('base64');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || {}.toString.call(value) !== '[object Object]') return value;
  const fields: Record<string, unknown> = {};
  const names = Object.keys(value).sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
  for (const name of names) fields[name] = sorted(Reflect.get(value, name));
  return fields;
}

/** How the ids of a function's records begin where no prefix is given. */
export const functionName = (): string => process.env.AWS_LAMBDA_FUNCTION_NAME?.trim() ?? '';
