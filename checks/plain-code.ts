import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Fails when a file of `lib/` says in code what a type or a list would say better: a cast through `unknown`, `Object(x)` as a way past the types
 * (it is `any`, and the linter does not see it), or a regular expression over a closed set of words.
 *
 * And when a test waits for less time than any of them has (`patience` in `vitest.config.ts`): then the machine's speed is its verdict.
 *
 * It looks at the text without comments and quoted strings, and finds what is on one line. A word list inside a longer pattern it leaves alone.
 */

interface Habit {
  readonly instead: string;
  readonly pattern: RegExp;
}

const habits = {
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

const habitsOfTests = {
  'a time-out of less than ten minutes': {
    pattern: /\btimeout: [1-5]?\d?\d_000\b|^\s*\}, [1-5]?\d?\d_000\);$/g,
    instead: 'leave it out: a test that hangs ends after ten minutes, and a slow machine is no failure',
  },
  'vi.waitFor': {
    pattern: /\bvi\.wait(?:For|Until)\(/g,
    instead: 'use eventually(), which counts looks and not seconds',
  },
} as const satisfies Readonly<Record<string, Habit>>;

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is found in one file, a sentence each. */
export function habitsIn(file: string, text: string): readonly string[] {
  const lines = withoutProse(text).split('\n');
  const found: Readonly<Record<string, Habit>> = file.startsWith('test/') ? habitsOfTests : habits;
  return Object.entries(found).flatMap(([name, { pattern, instead }]) =>
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

if (import.meta.main) {
  const lib = globSync('lib/**/*.{ts,tsx}', { cwd: root, exclude: ['lib/*/dist/**'] });
  const tests = globSync('test/**/*.test.ts', { cwd: root });
  const files = [...lib, ...tests].toSorted();
  const problems = files.flatMap((file) => habitsIn(file, readFileSync(`${root}/${file}`, 'utf8')));
  for (const problem of problems) console.error(problem);
  console.log(`${files.length} files, ${problems.length} problems.`);
  if (problems.length > 0 || lib.length === 0 || tests.length === 0) process.exitCode = 1;
}
