import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../../lib/cli/commands.ts';
import { withParts } from './reference.ts';

// `UPDATE_PAGE=1 npx vitest run --project unit test/cli/reference` writes the pages.
it.each(['commands', 'command-line'])('docs/reference/%s.md shows the rows of the commands', (name) => {
  const path = `docs/reference/${name}.md`;
  const page = readFileSync(path, 'utf8');
  const expected = withParts(page);
  if (process.env.UPDATE_PAGE) writeFileSync(path, expected);
  expect(process.env.UPDATE_PAGE ? expected : page).toBe(expected);
});

it('every command has its place on the pages, with every option of its own', () => {
  const page = readFileSync('docs/reference/commands.md', 'utf8');
  const list = readFileSync('docs/reference/command-line.md', 'utf8');
  for (const { name, options } of commands) {
    expect(list).toContain(`commands.md#pawl-${name})`);
    const [, section = ''] = page.split(`### pawl ${name}\n`);
    for (const option of Object.keys(options))
      expect(section.split('\n### ')[0], `pawl ${name}`).toContain(`\`--${option}`);
  }
});
