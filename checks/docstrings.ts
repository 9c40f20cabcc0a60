import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourcesOfEntries } from './compile.ts';
import { brokenExamples } from './docstrings/examples.ts';
import { type Entry, type PublicName, publicNames } from './docstrings/public-names.ts';

/**
 * Every public name has a docstring. A function, a class and an option type have an `@example` in it, which compiles. Every option has a docstring,
 * and `@default` when it may be left out.
 *
 * Prints the share of each entry, and fails below 100 %. A name that several entries export counts in each, and is a problem once.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

/** What has it, of what must have it. */
interface Share {
  readonly has: number;
  readonly of: number;
}

export interface Shares {
  readonly names: Share;
  readonly examples: Share;
  readonly options: Share;
}

/** The first paragraph is a sentence, and ends as one. */
const isSaid = (text: string) => /[.!?:]$/.test(text.split('\n\n')[0] ?? '');
const needsExample = ({ kind }: PublicName) => kind !== 'other';
const hasExample = ({ comment }: PublicName) => comment.examples.some(({ code }) => code.trim() !== '');

/** What is missing in the docstrings of one name, a sentence each. */
function missingOf(of: PublicName): readonly string[] {
  const { name, kind, comment } = of;
  const problems: string[] = [];
  if (!isSaid(comment.text)) problems.push(`${comment.place}: ${name} has no docstring that begins with a sentence`);
  if (needsExample(of) && !hasExample(of))
    problems.push(`${comment.place}: ${name}, ${aKind(kind)}, has no @example with code`);
  return [...problems, ...of.options.flatMap((option) => missingOfOption(name, option))];
}

function missingOfOption(
  type: string,
  { name, needsDefault, comment }: PublicName['options'][number],
): readonly string[] {
  if (!isSaid(comment.text))
    return [`${comment.place}: the option ${type}.${name} has no docstring that begins with a sentence`];
  if (needsDefault && !comment.tags.includes('default')) {
    return [`${comment.place}: the option ${type}.${name} may be left out, and its docstring has no @default`];
  }
  return [];
}

function aKind(kind: PublicName['kind']): string {
  return kind === 'option type' ? 'an option type' : `a ${kind}`;
}

export function sharesOf(names: readonly PublicName[]): Shares {
  const options = names.flatMap(({ name, options }) => options.map((option) => missingOfOption(name, option)));
  const examples = names.filter(needsExample);
  return {
    names: { has: names.filter(({ comment }) => isSaid(comment.text)).length, of: names.length },
    examples: { has: examples.filter(hasExample).length, of: examples.length },
    options: { has: options.filter(({ length }) => length === 0).length, of: options.length },
  };
}

export interface Checked {
  readonly entries: readonly Entry[];
  /** A sentence each, which begins with the place. */
  readonly problems: readonly string[];
}

export interface Project {
  /** The folder that places are printed from, with a `/` at its end. */
  readonly root: string;
  /** The path of the `tsconfig.json` that includes the entries. */
  readonly config: string;
  /** Code that declares what every example may use. */
  readonly prelude: string;
}

/** @param sources the name of each entry, as a user imports it, and the path of its module */
export function checkDocstrings(sources: ReadonlyMap<string, string>, { root, config, prelude }: Project): Checked {
  const entries = publicNames(config, sources, root);
  const names = new Set(entries.flatMap(({ names }) => names));
  // An option of a base is an option of every type that extends it.
  const missing = new Set([...names].flatMap(missingOf));
  return { entries, problems: [...missing, ...brokenExamples(entries, sources, prelude)] };
}

function row(name: string, { names, examples, options }: Shares): string {
  const cells = [names, examples, options].map(({ has, of }) => `${has}/${of}`.padStart(12));
  const all = [names, examples, options];
  const has = all.reduce((sum, share) => sum + share.has, 0);
  const of = all.reduce((sum, share) => sum + share.of, 0);
  // Rounded down: 100 % is all of them.
  return `${name.padEnd(24)}${cells.join('')}${`${Math.floor((has / of) * 1000) / 10} %`.padStart(10)}`;
}

if (import.meta.main) {
  const prelude = readFileSync(join(root, 'checks/docstrings/prelude.ts'), 'utf8');
  const config = join(root, 'tsconfig.json');
  const { entries, problems } = checkDocstrings(sourcesOfEntries, { root: root, config, prelude });
  console.log(`${''.padEnd(24)}${['docstrings', 'examples', 'options'].map((title) => title.padStart(12)).join('')}`);
  for (const { name, names } of entries) console.log(row(name, sharesOf(names)));
  console.log(row('all', sharesOf([...new Set(entries.flatMap(({ names }) => names))])));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
