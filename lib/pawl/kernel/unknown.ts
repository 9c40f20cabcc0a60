/**
 * A property of a value of which nothing is known: an error that some code threw, an answer that some code returned.
 *
 * @returns `undefined` where the value has no such property, or can have none
 * @throws what a getter of the value throws
 */
export function propertyOf(value: unknown, name: PropertyKey): unknown {
  const canHave = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return canHave ? Reflect.get(value, name) : undefined;
}

/** Whether an object has no class, in any realm. */
export function isPlainObject(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === null || (typeof proto === 'object' && proto !== null && Object.getPrototypeOf(proto) === null);
}

/** Lets a value that may be a promise fail later, unheard: Node ends a process for a rejection that nothing handles. */
export function letFail(value: unknown): void {
  try {
    if (typeof propertyOf(value, 'then') === 'function') Promise.resolve(value).catch(() => undefined);
  } catch {
    // A value that cannot even be looked at is no promise of Node's.
  }
}
