import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, guides, ROOT } from './blocks.ts';

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
  const { exports: exported }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const paths = Object.fromEntries(
    Object.entries(exported).map(([entry, built]) => [
      entry.replace(/^\./, 'pawl'),
      [join(ROOT, built.replace('./dist/', 'lib/').replace(/\.js$/, '.ts'))],
    ]),
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

test('every link between the guides leads somewhere', () => {
  for (const guide of guides) {
    const text = readFileSync(join(ROOT, guide), 'utf8');
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const path = target === '' ? join(ROOT, guide) : join(ROOT, guide, '..', target);
      expect(() => readFileSync(path), `${guide} links to ${target}`).not.toThrow();
      if (anchor !== undefined) expect(anchorsOf(path), `${guide} links to ${target}#${anchor}`).toContain(anchor);
    }
  }
});
