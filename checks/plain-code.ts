import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Fails when a file of `lib/` says in code what a type or a list would say better: a cast through `unknown`, `Object(x)` as a way past the types
 * (it is `any`, and the linter does not see it), or a regular expression over a closed set of words.
 *
 * It looks at the text without comments and quoted strings, and finds what is on one line. A word list inside a longer pattern it leaves alone.
 */

interface Habit {
  readonly instead: string;
  readonly pattern: RegExp;
}

export const HABITS = {
  'as unknown as': {
    pattern: /\bas unknown as\b/g,
    instead: 'give the value a type that it has, or narrow it by what it is',
  },
  'Object(…)': {
    pattern: /(?<![\w.])Object\(/g,
    instead: 'narrow the value: it is `any` from here on, and the linter does not see it',
  },
  'a regex over words': {
    pattern: /(?<=[=(,:!&|?{;\s[])\/\^?(?:\((?:\?:)?)?[\w-]+(?:\|[\w-]+)+\)?\$?\/[dgimsuvy]*(?=[.,;)\s])/g,
    instead: 'write the words as a list, and ask whether it includes the value',
  },
} as const satisfies Readonly<Record<string, Habit>>;

/** Files that are not clean yet. The list only gets shorter: a file that is clean has to leave it. */
const NOT_CLEAN: readonly string[] = ['lib/locks/dynamodb/conflicts.ts'];

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What is found in one file, a sentence each. */
export function habitsIn(file: string, text: string): readonly string[] {
  const lines = withoutProse(text).split('\n');
  return Object.entries(HABITS).flatMap(([name, { pattern, instead }]) =>
    lines.flatMap((line, index) =>
      Array.from(line.matchAll(pattern), () => `${file}:${index + 1}: ${name}. Instead: ${instead}.`),
    ),
  );
}

/** The code, with every line where it was. What is in a template stays: it may hold code. */
function withoutProse(text: string): string {
  const prose = /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return text.replace(prose, (found) => found.replaceAll(/[^\n]/g, ' '));
}

/** What breaks the rule, and which listed files do not any more. */
export function codeProblems(
  sources: readonly { readonly file: string; readonly text: string }[],
  notClean: readonly string[],
): readonly string[] {
  const found = new Map(sources.map(({ file, text }) => [file, habitsIn(file, text)]));
  const broken = [...found].flatMap(([file, problems]) => (notClean.includes(file) ? [] : problems));
  const cleaned = notClean.filter((file) => (found.get(file) ?? []).length === 0);
  return [
    ...broken,
    ...cleaned.map((file) => `${file} is clean, or gone: take it off the list in checks/plain-code.ts.`),
  ];
}

if (import.meta.main) {
  const files = globSync('lib/**/*.ts', { cwd: ROOT }).toSorted();
  const sources = files.map((file) => ({ file, text: readFileSync(`${ROOT}/${file}`, 'utf8') }));
  const problems = codeProblems(sources, NOT_CLEAN);
  for (const problem of problems) console.error(problem);
  console.log(`${files.length} files, ${problems.length} problems, ${NOT_CLEAN.length} files not clean yet.`);
  if (problems.length > 0 || files.length === 0) process.exitCode = 1;
}
