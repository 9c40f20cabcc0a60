import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestOf } from 'pawl/kernel';
import type { Ending } from './ending.ts';
import type { Screen } from './screen.ts';

/**
 * What a command of `pawl` is: its words, and where its code is. The help, the completion and the parsing are read from this.
 *
 * Owns: arguments. Does not own: what a command does. It imports no client, so that `--help` works before any is installed.
 */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What comes after the name. */
  readonly usage: string;
  /** The paragraphs of its help, before and after its options. */
  readonly about: string;
  readonly more: string;
  readonly options: Options;
  /** @default it is in another package, `package` */
  readonly run?: (line: Line, io: Io) => Promise<number>;
  readonly package?: string;
}

interface Option {
  /** The name of its value; a flag has none. */
  readonly value?: string;
  /** It may be given several times. */
  readonly multiple?: boolean;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

/** Where a command reads and writes, and what ends it before its end. */
export interface Io {
  readonly out: Screen;
  readonly error: Screen;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly ending: Ending;
}

/** What the operator has typed does not fit. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError for an option that the command does not have, or that it reads once and has twice: Node would take the last one */
export function expectOptionsOf(args: readonly string[], options: ParseArgsOptionsConfig): void {
  const { tokens } = parseArgs({ args: [...args], allowPositionals: true, options, strict: false, tokens: true });
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      const nearest = nearestOf(name, Object.keys(options));
      throw new UsageError(`There is no option '${rawName}'.${nearest ? ` Did you mean '--${nearest}'?` : ''}`);
    }
    const once = option.type === 'string' && option.multiple !== true;
    if (once && given.has(name)) throw new UsageError(`${rawName}: expected once, and got twice.`);
    given.add(name);
  }
}

/** A command line that was read. */
export class Line {
  readonly positionals: readonly string[];
  readonly #values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

  /** @throws UsageError */
  constructor(args: readonly string[], options: Options) {
    const wanted: ParseArgsOptionsConfig = Object.fromEntries(
      Object.entries(options).map(([name, { value, multiple = false }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', multiple } as const,
      ]),
    );
    expectOptionsOf(args, wanted);
    try {
      const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: wanted });
      this.#values = values;
      this.positionals = positionals;
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** @throws UsageError unless it was given */
  needed(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`);
    return value;
  }

  /** @throws UsageError unless it is one of these */
  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(name);
    const found = choices.find((choice) => choice === value);
    if (value !== undefined && found === undefined) {
      throw new UsageError(`--${name}: expected ${choices.join(', ')}; got '${value}'.`);
    }
    return found;
  }

  /** @throws UsageError unless it is a whole number above 0 */
  count(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^[1-9]\d{0,14}$/.test(value))
      throw new UsageError(`--${name}: expected a whole number above 0; got '${value}'.`);
    return Number(value);
  }

  /** The value of `--port`. @throws UsageError unless it is a number that a port can have */
  port(): number | undefined {
    const port = this.count('port');
    if (port !== undefined && port > 65_535) throw new UsageError('--port: expected a number up to 65535.');
    return port;
  }

  /** A point in time, ISO 8601 with its zone: one without a zone would be another time on another machine. @throws UsageError */
  instant(name: string): Date | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const at = instantOf(value);
    if (at === undefined) {
      throw new UsageError(
        `--${name}: expected a date, a time and a zone, such as 2026-11-22T12:00:00Z or 2026-11-22T13:00:00+01:00; got '${value}'.`,
      );
    }
    return at;
  }

  /** A time such as `90s`, `15m`, `2h` or `3d`, in milliseconds. @throws UsageError */
  durationMs(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(value) ?? [];
    const ms = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? ''];
    if (ms === undefined)
      throw new UsageError(`--${name}: expected a time such as 90s, 15m, 2h or 3d; got '${value}'.`);
    return Number(number) * ms;
  }
}

const iso8601 =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function instantOf(text: string): Date | undefined {
  const [, day, time, zone] = iso8601.exec(text) ?? [];
  if (day === undefined) return undefined;
  // A day that the month does not have would be one of the next month.
  const asUtc = new Date(`${day}T${time}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 10) !== day) return undefined;
  return new Date(`${day}T${time}${zone}`);
}

export function helpOf({ name, about, usage, options, more }: Command): string {
  const heads = Object.entries(options).map(([option, { value }]) => `--${option}${value ? ` <${value}>` : ''}`);
  const width = Math.max(...heads.map(({ length }) => length)) + 2;
  const lines = Object.values(options).map((option, index) => `  ${heads[index]?.padEnd(width)}${option.about}`);
  return `${about}\n\nUsage: pawl ${name} ${usage}\n\n${lines.join('\n')}\n\n${more}`;
}
