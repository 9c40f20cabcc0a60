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

/** Options that only mean something where a queue delivers, and where a client waits for an answer; and why. */
export const ofQueues = {
  schema: 'it is an option of consumers of SQS',
  deadLetters: 'it is an option of consumers of SQS',
  onInFlight: 'it is an option of consumers of SQS',
  concurrency: 'it is an option of consumers of SQS',
  backoffSeconds: 'it is an option of consumers of SQS',
};
export const ofHttp = {
  caller: 'it is an option of HTTP',
  required: 'it is an option of HTTP',
  isFinal: 'it is an option of HTTP',
};

/**
 * Refuses options that the types of a way in do not have. A program without types that gives one relies on it, and to ignore it would
 * promise what is not kept.
 *
 * @param useless each option, and why it has no use here
 * @throws OptionError when one of them is given
 */
export function refuseOptions(door: string, options: object, useless: Readonly<Record<string, string>>): void {
  for (const [name, why] of Object.entries(useless)) {
    if (name in options && Reflect.get(options, name) !== undefined) {
      throw new OptionError(`${name}: ${door} does not take it: ${why}`);
    }
  }
}
