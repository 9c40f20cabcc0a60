import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readLine } from '../../lib/cli/command.ts';
import { commands } from '../../lib/cli/commands.ts';

/* Every call of `pawl` in the examples of the pages is one that the command line takes: its options are there, and their values fit. */

const pages = ['README.md', ...globSync('docs/**/*.md'), ...globSync('examples/**/*.md')].filter(
  (path) => !path.includes('node_modules'),
);

/** The calls in the shell examples of a page, as a shell hands them over. */
function callsOf(path: string): readonly (readonly string[])[] {
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```/gm)];
  const lines = blocks.flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  return lines.flatMap((line) => {
    const [, call] = /(?:^|&& |\$ |\s)npx pawl (.*)$/.exec(line) ?? [];
    return call === undefined ? [] : [wordsOf(call)];
  });
}

function wordsOf(call: string): readonly string[] {
  const [command = ''] = call.split(/ (?:\||>|&&|#) ?/);
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}

const calls = pages.flatMap((path) => callsOf(path).map((words) => [path, words] as const));

it('the pages have calls of most commands', () => {
  expect(new Set(calls.map(([, [name]]) => name)).size).toBeGreaterThan(15);
});

it.each(calls)('%s: pawl %j', (_, [name, ...args]) => {
  const row = commands.find((one) => one.name === name);
  expect(row).toBeDefined();
  if (row !== undefined) expect(() => readLine(row, args)).not.toThrow();
});
