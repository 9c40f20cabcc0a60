import { propertyOf } from '../kernel/unknown.ts';

/** A key function that can say which part of an input it does not find. Two copies of pawl in one bundle understand each other. */
const says = Symbol.for('pawl.missing-key');

/** Lets a key function say what is missing in an input: names only, never a value of it. */
export function sayingMissing<Key extends (input: never) => unknown>(
  key: Key,
  missing: (input: unknown) => string | undefined,
): Key {
  return Object.defineProperty(key, says, { value: missing });
}

/** What a key function does not find in an input, if it can say that. Never throws. */
export function missingIn(key: unknown, input: unknown): string | undefined {
  try {
    const say = propertyOf(key, says);
    const said: unknown = typeof say === 'function' ? say(input) : undefined;
    return typeof said === 'string' ? said : undefined;
  } catch {
    return undefined;
  }
}
