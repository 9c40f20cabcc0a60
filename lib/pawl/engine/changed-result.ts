import { isPlainObject, propertyOf } from '../kernel/unknown.ts';
import { warnOnce } from '../kernel/warn-once.ts';

/**
 * What a replay gives is the JSON of what was returned first. Where the two differ, every caller has to know: types say that they are the same.
 *
 * Owns: which values JSON changes, and the words for it. Does not own: keeping a result (`result.ts`), nor HTTP, where JSON is all that a client sees.
 */

/** A value that JSON changes. */
interface Changed {
  /** Where it is: `result.items[2].at`. */
  readonly path: string;
  readonly kind: string;
  readonly becomes: string;
}

/** A result is looked through up to this many values, and this deep: it may be a cycle, which is not kept. */
const mostValues = 10_000;
const mostDepth = 100;

/**
 * Warns, once in a cold start, of a result that a replay gives otherwise. It never throws: the effect has happened.
 *
 * @param subject what returned it, such as `a function of once`
 */
export function warnOfChanged(operation: string, subject: string, result: unknown): void {
  let changed: Changed | undefined;
  try {
    changed = firstChanged(result, 'result', mostDepth, { left: mostValues });
  } catch {
    // A getter of the author's that throws: such a result is not kept.
  }
  if (changed === undefined) return;
  const { path, kind, becomes } = changed;
  const said = `${subject} of '${operation}' returns what its replay does not: ${path} is ${kind}, and comes back as ${becomes}`;
  const advice =
    'Results are kept as JSON. Return plain data: date.toISOString(), [...set], Object.fromEntries(map), null, or only the fields that are read';
  warnOnce('changed-result', `${operation} ${subject}`, `${said}. ${advice}`);
}

/** The first value that JSON changes. A property that is `undefined` is as absent as before. */
function firstChanged(value: unknown, path: string, depth: number, budget: { left: number }): Changed | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return { path, kind: String(value), becomes: 'null' };
  if (typeof value === 'function' || typeof value === 'symbol')
    return { path, kind: `a ${typeof value}`, becomes: 'nothing' };
  if (typeof value !== 'object' || value === null || depth === 0 || --budget.left < 0) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const at = `${path}[${index}]`;
      const found =
        value[index] === undefined
          ? { path: at, kind: 'undefined', becomes: 'null' }
          : firstChanged(value[index], at, depth - 1, budget);
      if (found !== undefined) return found;
    }
    return leftOut(value, path, 'a property of a list', (name) => name !== 'length');
  }
  if (!isPlain(value)) return { path, kind: kindOf(value), becomes: formOf(value) };
  for (const [name, field] of Object.entries(value)) {
    const found = firstChanged(field, fieldOf(path, name), depth - 1, budget);
    if (found !== undefined) return found;
  }
  const isHidden = (name: PropertyKey) => !Object.prototype.propertyIsEnumerable.call(value, name);
  return leftOut(value, path, 'a hidden property', (name) => typeof name === 'symbol' || isHidden(name));
}

/** The first property of its own that JSON leaves out. The names of a list begin with its indices. */
function leftOut(
  value: object,
  path: string,
  kind: string,
  isLeftOut: (name: PropertyKey) => boolean,
): Changed | undefined {
  const names = Reflect.ownKeys(value).slice(Array.isArray(value) ? value.length : 0);
  const name = names.find((one) => isLeftOut(one) && Reflect.get(value, one) !== undefined);
  return name === undefined ? undefined : { path: fieldOf(path, name), kind, becomes: 'nothing' };
}

/** The path of a field. What is no name of one may be a key, an address, a person. */
function fieldOf(path: string, name: PropertyKey): string {
  return typeof name === 'string' && /^\w{1,40}$/.test(name) ? `${path}.${name}` : `${path}[…]`;
}

/** Whether JSON keeps an object: one without a class, of any realm, that does not say itself what its JSON is. */
function isPlain(value: object): boolean {
  return typeof propertyOf(value, 'toJSON') !== 'function' && isPlainObject(value);
}

function kindOf(value: object): string {
  const name: unknown = propertyOf(propertyOf(value, 'constructor'), 'name');
  return typeof name === 'string' && name !== '' && name !== 'Object'
    ? `an instance of ${name}`
    : 'an object with toJSON';
}

function formOf(value: object): string {
  const form: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  if (typeof form !== 'object' || form === null) return form === null ? 'null' : `a ${typeof form}`;
  return Object.keys(form).length === 0 ? 'an empty object' : 'a plain object';
}
