import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../checks/docs/pages.ts';
import { examples, exampleText } from '../../checks/printed/examples.ts';

test.each(Object.entries(examples))('docs/guides/templates/%s is what pawl prints', (file, format) => {
  const text = readFileSync(join(repositoryRoot, 'docs/guides/templates', file), 'utf8');
  expect(text, 'run: node checks/printed/examples.ts').toBe(exampleText(format));
});

test('the page has a section, a command and an example for each tool', () => {
  const page = readFileSync(join(repositoryRoot, 'docs/guides/templates.md'), 'utf8');
  for (const [file, format] of Object.entries(examples)) {
    expect(page).toContain(`npx pawl template ${format}`);
    expect(page).toContain(`(templates/${file})`);
  }
});
