import { expect, expectFunction } from '../kernel/check.ts';
import { OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { expectOptions } from '../kernel/take-options.ts';
import { letFail } from '../kernel/unknown.ts';
import { fingerprintOf } from './fingerprint.ts';
import { watchIgnored } from './ignored-paths.ts';

/**
 * What of an input is its intent. Owns: the rule, its version, and for how long an earlier rule is accepted beside it. Does not own:
 * the canonical form of a text (`fingerprint.ts`), and where the input comes from (the doors).
 */

/** By paths that are left out; or by a function that says what is compared. */
export type FingerprintRule<Input> = {
  /**
   * The rule that was in force before. A key that was recorded by it is accepted for as long as `until` says, if the input means
   * the same by that rule: without it, whatever was recorded before the change is refused as `key-reused`.
   * @default none
   */
  readonly previous?: PreviousRule<Input>;
} & Compared<Input>;

export type Compared<Input> =
  | {
      /** Paths that change without changing the meaning: `'traceId'`, `'meta.sentAt'`, `'items.*.updatedAt'`. */
      readonly ignore: readonly string[];
    }
  | {
      /** The text that is compared. */
      readonly of: (input: Input) => string;
      /**
       * Change it whenever the function covers something else, so that a refusal can say that the rule has changed: 1 to 16 of `A-Z a-z 0-9 . -`.
       * @default ''
       */
      readonly version?: string;
    };

/** The rule that was in force before a deployment changed it, and until when it is accepted. */
export type PreviousRule<Input> = {
  /** Until when, ISO 8601: at least as long as a message can be on its queue and in its dead-letter queue. */
  readonly until: string;
} & Compared<Input>;

/** Of the union of rules, TypeScript holds each list to the members that it is made of. */
type NamesOfEither<Rule> = Readonly<Record<Rule extends unknown ? keyof Rule : never, true>>;
const knownOfRule = { ignore: true, of: true, version: true, previous: true } as const satisfies NamesOfEither<
  FingerprintRule<unknown>
>;
const knownOfPrevious = { ignore: true, of: true, version: true, until: true } as const satisfies NamesOfEither<
  PreviousRule<unknown>
>;

/** What an author gives: `false` compares nothing, and a function is short for `{ of }`. */
export type FingerprintOption<Input> = false | ((input: Input) => string) | FingerprintRule<Input>;

/** The prints of an input by today's rule and, while it is accepted, by the previous one. */
export interface Prints {
  readonly fingerprint?: string | undefined;
  readonly previousFingerprint?: string | undefined;
}

/** @throws OptionError unless it is `false`, a function, or a rule */
export function ruleOf<Input>(given: unknown): FingerprintRule<Input> | undefined {
  if (given === false) return undefined;
  if (typeof given === 'function') {
    expectFunction('fingerprint', 'a function from the input to a text', given);
    return { of: given as (input: Input) => string };
  }
  expectRule('fingerprint', given);
  const rule = given as FingerprintRule<Input>;
  if ('ignore' in rule && rule.ignore !== undefined) watchIgnored(rule.ignore);
  if (rule.previous === undefined) return rule;
  expectRule('fingerprint.previous', rule.previous);
  const { until } = rule.previous;
  const isTime = typeof until === 'string' && !Number.isNaN(Date.parse(until));
  expect(isTime, 'fingerprint.previous.until', 'a time in ISO 8601', until);
  return rule;
}

function expectRule(option: string, given: unknown): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    const within = option === 'fingerprint' ? {} : { within: 'previous' };
    const known = option === 'fingerprint' ? knownOfRule : knownOfPrevious;
    expectOptions(given, { door: 'fingerprint', ...within, known, docs: 'docs/reference/fingerprint.md' });
  }
  const fields: Partial<Record<string, unknown>> = typeof given === 'object' && given !== null ? { ...given } : {};
  const { ignore, of, version } = fields;
  const isIgnore = Array.isArray(ignore) && ignore.every((path) => typeof path === 'string') && of === undefined;
  const isFunction = typeof of === 'function' && ignore === undefined;
  const expected =
    option === 'fingerprint'
      ? 'false, a function, { ignore: [paths] } or { of: function }'
      : '{ ignore: [paths], until } or { of: function, until }';
  const paths = Array.isArray(given) ? `, such as { ignore: ${JSON.stringify(given).slice(0, 100)} }` : '';
  expect(isIgnore || isFunction, option, `${expected}${paths}`, given);
  if (isFunction) expectFunction(`${option}.of`, 'a function from the input to a text', of);
  const isVersion = version === undefined || (typeof version === 'string' && /^[\w.-]{1,16}$/.test(version));
  expect(isVersion, `${option}.version`, "1 to 16 of 'A-Z a-z 0-9 . - _'", version);
}

/**
 * The prints of one input.
 *
 * @param textOf the canonical text of the input by one way of comparing
 * @throws OptionError unless that is a text
 */
export function printsOf<Input>(
  rule: FingerprintRule<Input> | undefined,
  textOf: (by: Compared<Input>) => string,
  host: Pick<Host, 'now' | 'sha256'>,
): Prints {
  if (rule === undefined) return {};
  const print = (by: Compared<Input>) => fingerprintOf(expectIntent(textOf(by)), host) + suffixOf(by, host);
  const { previous } = rule;
  const accepts = previous !== undefined && host.now() < Date.parse(previous.until);
  return { fingerprint: print(rule), previousFingerprint: accepts ? print(previous) : undefined };
}

/** @throws OptionError unless the author's function has returned a text */
function expectIntent(text: unknown): string {
  // Two texts with different halves of a character are one in UTF-8, which is what is hashed.
  if (typeof text === 'string') return text.isWellFormed() ? text : JSON.stringify(text);
  letFail(text);
  throw new OptionError(
    `fingerprint: expected a function that returns a text; it returned a value of type ${typeof text}`,
  );
}

/** The version of a rule, behind the print. The plain rule, which leaves nothing out, has none. */
function suffixOf<Input>(by: Compared<Input>, host: Pick<Host, 'sha256'>): string {
  if ('of' in by) return by.version === undefined ? '' : `@${by.version}`;
  return by.ignore.length === 0 ? '' : `@${host.sha256(JSON.stringify(by.ignore.toSorted())).slice(0, 8)}`;
}

/** Whether two prints are of the same intent. The version only says by which rule it was found. */
export function sameIntent(one: string, other: string | undefined): boolean {
  return one.split('@')[0] === other?.split('@')[0];
}

/** Whether two prints were made by different rules, so that they may differ although the inputs mean the same. */
export function otherRule(one: string, other: string): boolean {
  return one.split('@')[1] !== other.split('@')[1];
}
