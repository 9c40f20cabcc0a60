import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestOf, pageAt } from 'pawl/kernel';
import type { Ending } from './ending.ts';
import { flag, type Option, type Options, type Values } from './option.ts';
import type { Screen } from './screen.ts';

/**
 * A command of `pawl`: one row of `commands.ts`, from which its parsing, its help, its completion and its place in the reference are derived.
 *
 * Owns: what a row says, and the reading of a command line by it. Does not own: what a command does. It imports no client, so that every help is quick.
 */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What comes after its name, but options. */
  readonly names: Names;
  /** The options that its usage shows, as an operator writes them. */
  readonly usage: string;
  /** The paragraphs of its help before its options. */
  readonly about: string;
  readonly options: Options;
  /** What a role needs, and what else belongs after the options. */
  readonly more?: string;
  /** Command lines, without `pawl` and the name of the command. */
  readonly examples: readonly string[];
  /** @default those of `exits` */
  readonly exits?: string;
  /** The guide that it belongs to, from `docs/` on. */
  readonly guide: string;
  /** The package that runs it. @default this one, by `run` */
  readonly package?: string;
  // A method: a row is kept with the values of its own options forgotten.
  run?(line: Line, io: Io): Promise<number>;
}

/** A row, with the types of what a command line of it says. */
interface Row<Of extends Options, Word extends string> extends Omit<Command, 'names' | 'options' | 'run'> {
  readonly names: Names<Word>;
  readonly options: Of;
  run?(line: Line<Values<Of>, Word>, io: Io): Promise<number>;
}

export function command<const Of extends Options, Word extends string>(row: Row<Of, Word>): Command {
  return row;
}

/** What comes after the name of a command, but options. */
export interface Names<Word extends string = string> {
  /** As its usage shows them: `<key>`. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
  /** What it takes, after `pawl <command> takes`, and what to write instead. */
  readonly takes: string;
  /** The words that the completion offers; of a command that takes one name, it is one of these. */
  readonly words?: readonly Word[];
}

export const noNames = (instead: string): Names => ({ usage: '', least: 0, most: 0, takes: `no names. ${instead}` });
export const oneName = (usage: string, takes: string): Names => ({ usage, least: 1, most: 1, takes });
export const oneOf = <const Word extends string>(words: readonly Word[]): Names<Word> => ({
  usage: words.join('|'),
  least: 1,
  most: 1,
  takes: `one of ${words.join(', ')}`,
  words,
});
export const anyNames = (usage: string, takes: string, words: readonly string[] = []): Names => ({
  usage,
  least: 0,
  most: Number.POSITIVE_INFINITY,
  takes,
  words,
});

/** A command line that was read. */
export interface Line<Given = object, Word extends string = string> {
  readonly names: readonly Word[];
  readonly options: Given;
}

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

/** Who acts, and why: of a command that also only looks, and needs them where it does not. @throws UsageError */
export function actedBy({ by, note }: { readonly by: string | undefined; readonly note: string | undefined }) {
  if (!by) throw new UsageError('--by is missing.');
  if (!note) throw new UsageError('--note is missing.');
  return { by, note };
}

/** Every command has it. */
export const help = flag('this text');

/** @throws UsageError for what the row does not have, or what does not fit it */
export function readLine(row: Command, args: readonly string[]): Line | 'help' {
  const options: Options = { ...row.options, help };
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: true, ...(name === 'help' && { short: 'h' }) },
    ]),
  );
  expectKnown(args, config);
  const { values, positionals: names } = parsed(args, config);
  if (values['help'] !== undefined) return 'help';
  const { least, most, words, takes } = row.names;
  const isNone = most === 1 && words !== undefined && !words.includes(names[0] ?? '');
  if (names.length < least || names.length > most || isNone) {
    throw new UsageError(`pawl ${row.name} takes ${takes}${most === 0 ? '' : `; got ${shownNames(names)}`}.`);
  }
  return {
    names,
    options: Object.fromEntries(
      Object.entries(row.options).map(([name, option]) => [name, fitting(name, option, values[name]?.map(String))]),
    ),
  };
}

function shownNames(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : `'${names.join(' ')}'`;
}

/** @throws UsageError for an option that the command does not have: Node would name none that is near */
function expectKnown(args: readonly string[], config: ParseArgsOptionsConfig): void {
  const { tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: config,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(config, token.name)) continue;
    const nearest = nearestOf(token.name, Object.keys(config));
    throw new UsageError(`There is no option '${token.rawName}'.${nearest ? ` Did you mean '--${nearest}'?` : ''}`);
  }
}

/** @throws UsageError for a value that a flag has, or that another option has not */
function parsed(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    // Each may be given several times to Node, which would take the last one.
    return { values: values as Readonly<Record<string, readonly (string | boolean)[] | undefined>>, positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws UsageError */
function fitting(name: string, option: Option, typed: readonly string[] | undefined): unknown {
  if (option.needed && (typed === undefined || typed.includes(''))) throw new UsageError(`--${name} is missing.`);
  if (typed === undefined) return option.absent;
  const isOnce = option.value !== undefined && option.multiple !== true;
  if (isOnce && typed.length > 1) throw new UsageError(`--${name}: expected once, and got twice.`);
  const value = option.read(typed);
  if (value === undefined) throw new UsageError(`--${name}: expected ${option.expected}; got '${typed.join(' ')}'.`);
  return value;
}

const exits =
  'Exits with 0 if all is done and nothing is open, 1 if something is open or was refused, and 2 if it could not run. Ended early, by Ctrl-C (130), SIGTERM (143), a closed\nterminal (129) or a closed output (141), it finishes what is under way, and says what it did. A second Ctrl-C ends it in the middle.';

export const usageOf = ({ name, names, usage }: Pick<Command, 'name' | 'names' | 'usage'>) =>
  ['pawl', name, names.usage, usage, '[options]'].filter((part) => part !== '').join(' ');

/** An option as it is typed, and what it means. */
export function wordsOf(
  name: string,
  { value, about, range }: Option,
): { readonly head: string; readonly about: string } {
  return {
    head: `--${name}${value === undefined ? '' : ` <${value}>`}`,
    about: range === undefined ? about : `${about}, ${range}`,
  };
}

export function helpOf(row: Command): string {
  const options = Object.entries({ ...row.options, help }).map(([name, option]) => ({
    ...option,
    ...wordsOf(name, option),
  }));
  const width = Math.max(...options.map(({ head }) => head.length)) + 2;
  const lines = options.map(
    ({ head, about, otherwise }) =>
      `  ${head.padEnd(width)}${about}${otherwise === undefined ? '' : `   (${otherwise})`}`,
  );
  const examples = row.examples.map((example) => `  pawl ${row.name} ${example}`);
  return [
    row.about,
    `Usage: ${usageOf(row)}`,
    lines.join('\n'),
    `Examples:\n\n${examples.join('\n')}`,
    ...(row.more === undefined ? [] : [row.more]),
    `${row.exits ?? exits}\nMore: ${pageAt(`docs/${row.guide}`)}`,
  ].join('\n\n');
}

/** Left out, a filter would let an act reach what its operator did not mean. @throws UsageError where a filter stands beside names */
export function expectNamesOrFilters(things: string, names: readonly string[], filter: string | undefined): void {
  if (filter !== undefined && names.length > 0)
    throw new UsageError(`--${filter}: name ${things}, or filters, and not both.`);
}
