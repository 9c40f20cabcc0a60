/**
 * What an option of a command is, and how its value is read. Help, completion, checks and the reference page are derived from this.
 *
 * Owns: the kinds of options. Does not own: which options there are (`options.ts`), and which command has them (`commands.ts`).
 */
export interface Option<Value = unknown> {
  /** The name of its value; a flag has none. */
  readonly value?: string | undefined;
  readonly about: string;
  /** It may be given several times. */
  readonly multiple?: true;
  /** The command does not run without it. */
  readonly needed?: true;
  /** What fits, as a message says it. @default any text */
  readonly expected?: string | undefined;
  /** The same after what it means, where its name does not show it. */
  readonly range?: string | undefined;
  /** What holds without it, in words. */
  readonly otherwise?: string | undefined;
  /** What holds without it. */
  readonly absent: Value;
  /** The value of what was typed: for each time, if it may be given several times. `undefined` if it does not fit. */
  readonly read: (typed: readonly string[]) => Value | undefined;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of options, by their names. */
export type Values<Of extends Options> = { readonly [Name in keyof Of]: Of[Name] extends Option<infer V> ? V : never };

/** What holds without an option: a value that the command line fills in; or words, for what follows from something else. */
interface Absent<Default> {
  readonly default?: Default;
  readonly otherwise?: string;
}

export function flag(about: string): Option<boolean> {
  return { about, absent: false, read: () => true };
}

export function text<const Default extends string | undefined = undefined>(
  value: string,
  about: string,
  absent: Absent<Default> = {},
): Option<string | Default> {
  return option(value, about, absent, (typed) => typed);
}

/** A text that may be given several times. */
export function texts(value: string, about: string, { otherwise }: Absent<never> = {}): Option<readonly string[]> {
  return { value, about, otherwise, multiple: true, absent: [], read: (typed) => typed };
}

/** The same, without which the command does not run. */
export function needed<Value>(option: Option<Value | undefined>): Option<Value> {
  // What is absent is refused before anything reads it.
  return { ...option, needed: true } as Option<Value>;
}

export function choice<const Choice extends string>(
  value: string,
  about: string,
  choices: readonly Choice[],
): Option<Choice | undefined> {
  const expected = choices.join(', ');
  return option(value, about, { expected, range: `one of ${expected}` }, (typed) =>
    choices.find((one) => one === typed),
  );
}

interface Range<Default> extends Absent<Default> {
  /** @default 1 */
  readonly least?: number;
  /** @default no limit */
  readonly most?: number;
}

export function whole<const Default extends number | undefined = undefined>(
  value: string,
  about: string,
  { least = 1, most, ...absent }: Range<Default> = {},
): Option<number | Default> {
  const range = most === undefined ? undefined : `from ${least} to ${most}`;
  const words = { expected: `a whole number ${range ?? `from ${least}`}`, range, ...absent };
  return option(value, about, words, (typed) => {
    const number = /^\d{1,15}$/.test(typed) ? Number(typed) : Number.NaN;
    return number >= least && number <= (most ?? Number.MAX_SAFE_INTEGER) ? number : undefined;
  });
}

/** An amount of something that can be divided, such as time. */
export function amount<const Default extends number | undefined = undefined>(
  value: string,
  about: string,
  absent: Absent<Default> = {},
): Option<number | Default> {
  return option(value, about, { expected: 'a number above 0', ...absent }, (typed) => {
    const number = /^\d{1,15}(\.\d{1,9})?$/.test(typed) ? Number(typed) : Number.NaN;
    return number > 0 ? number : undefined;
  });
}

/** A text of a form that AWS, or another tool, prescribes. */
export function formed(
  value: string,
  about: string,
  { pattern, longest, expected, otherwise }: { pattern: RegExp; longest: number; expected: string; otherwise: string },
): Option<string | undefined> {
  const words = { expected: `${expected}, ${longest} characters at most`, otherwise };
  return option(value, about, words, (typed) => (pattern.test(typed) && typed.length <= longest ? typed : undefined));
}

const such = 'such as 90s, 15m, 2h or 3d';
const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time, in milliseconds. */
export function duration(about: string): Option<number | undefined> {
  return option('time', about, { expected: `a time ${such}`, range: such }, (typed) => {
    const number = /^\d{1,9}(?=[smhd]$)/.exec(typed)?.[0];
    const unit = Object.entries(units).find(([name]) => typed.endsWith(name));
    return number === undefined || unit === undefined ? undefined : Number(number) * unit[1];
  });
}

const iso8601 =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A point in time, ISO 8601 with its zone: one without a zone would be another time on another machine. */
export function instant(about: string): Option<Date | undefined> {
  const expected = 'a date, a time and a zone, such as 2026-11-22T12:00:00Z or 2026-11-22T13:00:00+01:00';
  return option('time', about, { expected, range: 'such as 2026-11-22T12:00:00Z' }, (typed) => {
    const [, day, time, zone] = iso8601.exec(typed) ?? [];
    if (day === undefined) return undefined;
    // A day that the month does not have would be one of the next month.
    const asUtc = new Date(`${day}T${time}Z`);
    if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 10) !== day) return undefined;
    return new Date(`${day}T${time}${zone}`);
  });
}

function option<Value, Default>(
  value: string,
  about: string,
  words: { readonly expected?: string; readonly range?: string | undefined } & Absent<Default>,
  read: (typed: string) => Value | undefined,
): Option<Value | Default> {
  const { default: absent, otherwise = absent === undefined ? undefined : String(absent), ...said } = words;
  return { value, about, ...said, otherwise, absent: absent as Default, read: ([typed = '']) => read(typed) };
}
