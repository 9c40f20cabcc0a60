import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileErrors } from '../../checks/compile.ts';
import { blocksOf, filesOf, guides, pages, ROOT } from './blocks.ts';

/** What a link into a page may name: its headings, as GitHub names them, and its own anchors. */
function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .replace(/<[^>]+>/g, '')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...Array.from(text.matchAll(/<a name="([^"]+)">/g), ([, name = '']) => name)];
}

test('the code in the README and in the guides compiles', { timeout: 120_000 }, () => {
  const pages = new Set<string>();
  const compiled = new Map<string, string>();
  for (const guide of guides) {
    const name = guide.replace(/\.md$/, '').replaceAll('/', '-');
    // Files that import each other are compiled in a folder of their own.
    const files = [...filesOf(guide)].filter(([path]) => path.endsWith('.ts'));
    const filed = new Set(files.map(([, code]) => code));
    for (const [path, code] of files) compiled.set(join(name, path), code);
    for (const { number, given, code } of blocksOf(guide)) {
      pages.add(guide);
      if (!filed.has(code)) compiled.set(`${name}-${number}.ts`, `${given}${code}\nexport {};\n`);
    }
  }
  expect(pages).toContain('README.md');
  expect(pages.size).toBeGreaterThan(10);
  expect(compileErrors(compiled)).toBe('');
});

/** The pages of this repository that the package does not have are linked by their address. */
const HERE = 'https://github.com/pawl-dev/pawl/blob/main/';

/** The links of a page to files of this repository: where each leads, and how it is written. */
function linksOf(page: string) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return Array.from(text.matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g), ([, target = '', anchor]) => {
    const path = target.startsWith(HERE) ? target.slice(HERE.length) : target === '' ? page : join(page, '..', target);
    return { target, anchor, path };
  }).filter(({ target }) => target.startsWith(HERE) || !/^https?:/.test(target));
}

test('every link from page to page leads to a file, and to a place in it', () => {
  for (const page of pages) {
    for (const { target, anchor, path } of linksOf(page)) {
      expect(existsSync(join(ROOT, path)), `${page} links to ${target}`).toBe(true);
      if (anchor !== undefined)
        expect(anchorsOf(join(ROOT, path)), `${page} links to ${target}#${anchor}`).toContain(anchor);
    }
  }
});

test('in an installed package, every link of the README and of the docs leads to a file of the package', () => {
  const inPackage = /^(README\.md|CHANGELOG\.md|LICENSE|docs\/.*)$/;
  for (const page of pages.filter((name) => inPackage.test(name))) {
    for (const { target, path } of linksOf(page)) {
      if (!target.startsWith(HERE)) expect(path, `${page} links to ${target}`).toMatch(inPackage);
    }
  }
  const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(files).toEqual(expect.arrayContaining(['docs', 'CHANGELOG.md']));
});

test('the index of the evidence names every page of it', () => {
  const index = readFileSync(join(ROOT, 'docs/evidence/README.md'), 'utf8');
  for (const name of readdirSync(join(ROOT, 'docs/evidence')).filter((name) => name !== 'README.md')) {
    expect(index).toContain(`(${name})`);
  }
});
