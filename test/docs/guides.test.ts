import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deadLinks, deadMentions, here, linksOf } from '../../checks/docs/links.ts';
import { pages, repositoryRoot } from '../../checks/docs/pages.ts';
import { unreadable, wordsOf } from '../../checks/docs/readable.ts';
import { notEmpty } from '../../checks/not-empty.ts';

const read = (page: string) => readFileSync(join(repositoryRoot, page), 'utf8');

test('every link from page to page leads to a file, and to a place in it', () => {
  expect(deadLinks()).toEqual([]);
});

test('every page that the code names is there, with the place that it names', () => {
  expect(deadMentions()).toEqual([]);
});

test('no page takes more than ten minutes, and the site has a place for each', () => {
  expect(unreadable(read)).toEqual([]);
});

test('a page that is too long, has a commit or has no end is refused', () => {
  const changed = (which: string, text: string) => (page: string) => (page === which ? text : read(page));
  const long = 'once '.repeat(3_000);
  expect(unreadable(changed('docs/guides/keys.md', long))).toEqual([
    'docs/guides/keys.md has 3000 words, more than 2200: split it.',
  ]);
  expect(unreadable(changed('docs/guides/keys.md', 'Measured at 81bc623.'))).toEqual([
    'docs/guides/keys.md names the commit 81bc623: move it into docs/evidence/.',
  ]);
  expect(unreadable(changed('docs/guides/keys.md', '<<<<<<< HEAD\n'))).toEqual([
    'docs/guides/keys.md has a conflict of a merge in it.',
  ]);
  expect(unreadable(changed('README.md', '\n'.repeat(200)))).toEqual(['README.md has more than 200 lines.']);
  expect(wordsOf('<!-- not --> [one](not.md) two\n```\nnot\n```\nthree')).toBe(3);
});

test('in an installed package, every link of the README and of the docs leads to a file of the package', () => {
  const inPackage = /^(README\.md|CHANGELOG\.md|LICENSE|docs\/.*)$/;
  const links = pages
    .filter((name) => inPackage.test(name))
    .flatMap((page) => linksOf(page).map(({ target, path }) => ({ page, target, path })))
    .filter(({ target }) => !target.startsWith(here));
  for (const { page, target, path } of notEmpty('links inside of the package', links)) {
    expect(path, `${page} links to ${target}`).toMatch(inPackage);
  }
});

test('the index of the evidence names every page of it', () => {
  const index = read('docs/evidence/README.md');
  for (const name of readdirSync(join(repositoryRoot, 'docs/evidence')).filter((name) => name !== 'README.md')) {
    expect(index).toContain(`(${name})`);
  }
});
