import { explained } from './error-code.ts';
import { explainedError, OptionError, RetryableError } from './errors.ts';
import { letFail, propertyOf } from './unknown.ts';

/** Whether a function is written with `*`. What a compiler makes of one for an old target is an ordinary function, and is known by what it returns. */
export function isGeneratorFunction(fn: unknown): boolean {
  return typeof fn === 'function' && /GeneratorFunction\]$/.test({}.toString.call(fn));
}

/** What came in place of a function, for a message. */
export const aGenerator = 'a generator, whose body does not run when it is called. Make it a function without *';

/** Whether a function returned a generator object: its body has not begun. A list, a map or a stream of Node's is none, having no such three methods. */
export function isGenerator(value: unknown): boolean {
  try {
    const isIterable = [Symbol.iterator, Symbol.asyncIterator].some((name) => isFunction(value, name));
    return isIterable && ['next', 'return', 'throw'].every((name) => isFunction(value, name));
  } catch {
    // A value that cannot even be looked at is none of JavaScript's own.
    return false;
  }
}

export function isFunction(value: unknown, name: PropertyKey): boolean {
  return typeof propertyOf(value, name) === 'function';
}

/**
 * What a function of the author's returned, if it has run at all.
 *
 * @param what the function, for the message
 * @throws RetryableError when it is a generator behind a wrapper: its body has not begun, so nothing was applied
 */
export function expectRun<T>(value: T, what: string): T {
  if (!isGenerator(value)) return value;
  const said = `${what} returned a generator, and its body has not run. Make it a function without *`;
  throw new RetryableError(explained(said, 'generator'));
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof propertyOf(value, 'then') === 'function';
}

/**
 * What a function of the author's returned. A promise is refused: taken for a value it is no key, no text and no attribute, and if it
 * rejected, nothing would handle it.
 *
 * @throws OptionError when it is a promise
 */
export function synchronous<Value>(option: string, value: Value): Value {
  if (!isPromise(value)) return value;
  letFail(value);
  throw new OptionError(`${option}: expected a value; got a promise: the function must not be async`);
}

/** The error of what was given in place of a function that starts an effect. */
export function notAFunction(what: string, came: unknown, options?: ErrorOptions): TypeError {
  const example = `${what}(() => …)`;
  const said = isPromise(came)
    ? `a promise: its effect began before pawl could look at the claim, and begins again with every attempt. Write ${example}`
    : isGeneratorFunction(came)
      ? aGenerator
      : `a value of type ${typeof came}. Write ${example}`;
  return explainedError(
    TypeError,
    `${what}: expected a function that starts the effect; got ${said}`,
    'effect-no-function',
    options,
  );
}
