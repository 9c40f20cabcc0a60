import { OptionError } from './errors.ts';

/** @throws OptionError unless `ok` */
export function expect(ok: unknown, option: string, expected: string, came: unknown): void {
  if (ok) return;
  const shown =
    typeof came === 'string' ? JSON.stringify(came) : typeof came === 'function' ? 'a function' : String(came);
  throw new OptionError(`${option}: expected ${expected}; got ${shown}`);
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
  const setupError = new OptionError(`${option}: expected ${expected}; got ${shown}. ${variable}`);
  return {
    read() {
      throw setupError;
    },
    setupError,
  };
}

/** @throws OptionError unless it is a whole number, 0 or more */
export function expectWhole(option: string, value: unknown): void {
  expect(Number.isSafeInteger(value) && (value as number) >= 0, option, 'a whole number, 0 or more', value);
}
