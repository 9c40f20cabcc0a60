import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ENTRIES } from '../../checks/entries.ts';
import { blocksOf, guides, pages, ROOT } from './blocks.ts';

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

// Inside the project, so that its packages are found; where git does not look.
mkdirSync(join(ROOT, '.pawl'), { recursive: true });
const scratch = mkdtempSync(join(ROOT, '.pawl', 'docs-'));
afterAll(() => rmSync(scratch, { recursive: true }));

test('the code in the README and in the guides compiles', { timeout: 120_000 }, () => {
  const pages = new Set<string>();
  for (const guide of guides) {
    for (const { number, given, code } of blocksOf(guide)) {
      writeFileSync(join(scratch, `${basename(guide, '.md')}-${number}.ts`), `${given}${code}\nexport {};\n`);
      pages.add(guide);
    }
  }
  expect(pages).toContain('README.md');
  expect(pages.size).toBeGreaterThan(10);
  const paths = Object.fromEntries(
    Object.entries(ENTRIES).map(([entry, module]) => [entry.replace(/^\./, 'pawl'), [join(ROOT, `lib/${module}.ts`)]]),
  );
  writeFileSync(
    join(scratch, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      // As most have it: CDK's own types do not fit each other under the stricter setting of this project.
      compilerOptions: { exactOptionalPropertyTypes: false, paths },
      include: ['*.ts'],
    }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', scratch], { cwd: scratch, encoding: 'utf8' });
  expect(status, stdout).toBe(0);
});

test('every link from page to page leads to a file, and to a place in it', () => {
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const path = target === '' ? join(ROOT, page) : join(ROOT, page, '..', target);
      expect(existsSync(path), `${page} links to ${target}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(path), `${page} links to ${target}#${anchor}`).toContain(anchor);
    }
  }
});

test('the index of the evidence names every page of it', () => {
  const index = readFileSync(join(ROOT, 'docs/evidence/README.md'), 'utf8');
  for (const name of readdirSync(join(ROOT, 'docs/evidence')).filter((name) => name !== 'README.md')) {
    expect(index).toContain(`(${name})`);
  }
});
