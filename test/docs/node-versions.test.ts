import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('evidence'))
    .map((path) => `docs/${path}`),
];

/** Older versions of Node end with an error about the extension, and do not say which version is meant. */
test('a page that has a file of TypeScript run by node says with which Node, and how to have it', () => {
  const running = pages.filter((page) => /(?:^|`)node [\w./-]+\.m?ts\b/m.test(readFileSync(join(root, page), 'utf8')));
  expect(running).toContain('docs/guides/install.md');
  expect(running).toContain('docs/tutorial/first-consumer.md');
  for (const page of running) {
    const text = readFileSync(join(root, page), 'utf8');
    expect(text, page).toMatch(/Node (?:24|22\.18)/);
    expect(text, page).toContain('npx node');
  }
});
