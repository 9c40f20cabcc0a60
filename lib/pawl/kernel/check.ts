import { aGenerator, isGeneratorFunction } from './callable.ts';
import type { ErrorCode } from './error-code.ts';
import { OptionError } from './errors.ts';

/** @throws OptionError unless `ok` */
export function expect(ok: unknown, option: string, expected: string, came: unknown, code?: ErrorCode): void {
  if (!ok) throw new OptionError(`${option}: expected ${expected}; got ${shown(came)}`, code);
}

/**
 * @throws OptionError unless it is a function that can be called for what it does. The body of a generator does not run when it is called: taken for a
 *   handler, it would be done without having begun
 */
export function expectFunction(option: string, expected: string, came: unknown, code?: ErrorCode): void {
  expect(typeof came === 'function', option, expected, came, code);
  if (isGeneratorFunction(came))
    throw new OptionError(`${option}: expected ${expected}; got ${aGenerator}`, 'generator');
}

/** The longest list of names that a message shows. */
const longestNames = 100;

/** A value that was given in place of an option: a text in quotes, an object by its names only. */
function shown(came: unknown): string {
  if (typeof came === 'string') return JSON.stringify(came);
  if (typeof came === 'function') return 'a function';
  if (Array.isArray(came)) return `a list of ${came.length}`;
  // Never its values, which may be secrets: a client's configuration, a message. Nor its own text, which says `[object Object]`.
  if (typeof came !== 'object' || came === null) return String(came);
  if ('then' in came) return 'a promise; await it first';
  return `an object with ${Object.keys(came).join(', ').slice(0, longestNames) || 'no fields'}`;
}

/** The name of a table or of a queue, as a function finds it in its environment. */
export interface EnvironmentName {
  /** @throws OptionError when it is missing */
  readonly read: () => string;
  /** What `read` throws. */
  readonly setupError: OptionError | undefined;
}

/**
 * A name that comes from an environment variable. A missing one is reported at the first call, not when the module is imported: the test of another
 * part of a project, or the synthesis of a stack, may import a handler too.
 *
 * @param variable where the name comes from, for the message
 * @throws OptionError at once when it is given, and is no text
 */
export function environmentName(
  option: string,
  { value, expected, variable }: { readonly value: unknown; readonly expected: string; readonly variable: string },
): EnvironmentName {
  if (typeof value === 'string' && value !== '') return { read: () => value, setupError: undefined };
  expect(value === undefined || value === null || value === '', option, expected, value);
  const shown = value === '' ? 'an empty text' : String(value);
  const setupError = new OptionError(
    `${option}: expected ${expected}; got ${shown}. ${variable}`,
    'missing-environment',
  );
  return {
    read() {
      throw setupError;
    },
    setupError,
  };
}

/**
 * @param other what else the option may be, for the message
 * @throws OptionError unless it is a whole number, 0 or more
 */
export function expectWhole(option: string, value: unknown, code?: ErrorCode, other = ''): void {
  const unit = option.endsWith('Ms') ? ', in milliseconds' : option.endsWith('Seconds') ? ', in seconds' : '';
  const isWhole = Number.isSafeInteger(value) && (value as number) >= 0;
  expect(isWhole, option, `a whole number, 0 or more${unit}${other}`, value, code);
}

/** The longest time that is taken for one, in milliseconds: 366 days. A later one is a mistake of units, and its date may be none. */
export const longestTimeMs = 366 * 24 * 3_600_000;

/**
 * A time until something ends, as the author's code or Lambda's context says it. A table holds no infinite one, and refuses the request that it shares
 * with others.
 *
 * @returns milliseconds; below 0 where it is over
 * @throws OptionError unless it is a finite number, at most 366 days
 */
export function remainingTime(what: string, value: unknown): number {
  const isTime = typeof value === 'number' && Number.isFinite(value) && value <= longestTimeMs;
  expect(isTime, what, `a number of milliseconds, at most ${longestTimeMs}`, value, 'wrong-time');
  return value as number;
}
