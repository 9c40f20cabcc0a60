import { OptionError } from './errors.ts';

/** @throws OptionError unless `ok` */
export function expect(ok: unknown, option: string, expected: string, came: unknown): void {
  if (ok) return;
  const shown =
    typeof came === 'string' ? JSON.stringify(came) : typeof came === 'function' ? 'a function' : String(came);
  throw new OptionError(`${option}: expected ${expected}; got ${shown}`);
}

/** @throws OptionError unless it is a whole number, 0 or more */
export function expectWhole(option: string, value: unknown): void {
  expect(Number.isSafeInteger(value) && (value as number) >= 0, option, 'a whole number, 0 or more', value);
}
