/**
 * An object of which a process has one, whatever number of copies of pawl it has loaded. A project that loads pawl by `import` and by `require` has two.
 * Each copy would otherwise keep a memory of its own, and miss what the other one does.
 *
 * @param name with the number of its shape. A version of pawl that changes the shape takes the next number, and keeps an object of its own
 */
export function processWide<T extends object>(name: `${string}/${number}`, make: () => T): T {
  const key = Symbol.for(`pawl.${name}`);
  const found: unknown = Reflect.get(globalThis, key);
  if (found !== undefined) return found as T;
  const made = make();
  Object.defineProperty(globalThis, key, { value: made });
  return made;
}
