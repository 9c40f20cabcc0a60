import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, guides, pages, ROOT } from './blocks.ts';

// Inside the project, so that its packages are found; where git does not look.
mkdirSync(join(ROOT, '.pawl'), { recursive: true });
const scratch = mkdtempSync(join(ROOT, '.pawl', 'docs-'));
afterAll(() => rmSync(scratch, { recursive: true }));

test('the code in the guides compiles', { timeout: 120_000 }, () => {
  // Those of the README are cut short, and run in `examples.test.ts`.
  const blocks = guides
    .filter((guide) => guide !== 'README.md')
    .flatMap((guide) =>
      blocksOf(guide).map(({ number, given, code }) => {
        const name = `${basename(guide, '.md')}-${number}.ts`;
        writeFileSync(join(scratch, name), `${given}${code}\nexport {};\n`);
        return name;
      }),
    );
  expect(blocks.length).toBeGreaterThan(10);
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

/** What a link can lead to within a page: its headings, as GitHub names them, and the anchors that it sets. */
function placesIn(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, anchor = '']) => anchor)];
}

test('every link from page to page leads to a file, and to a place in it', () => {
  const broken = pages.flatMap((page) => {
    const links = readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g);
    return [...links].flatMap(([link, target = '', place]) => {
      const to = target === '' ? page : join(page, '..', target);
      const leads = existsSync(join(ROOT, to)) && (place === undefined || placesIn(to).includes(place));
      return leads ? [] : [`${page}: ${link}`];
    });
  });
  expect(broken).toEqual([]);
});

test('the index of the evidence names every page of it', () => {
  const index = readFileSync(join(ROOT, 'docs/evidence/README.md'), 'utf8');
  for (const name of readdirSync(join(ROOT, 'docs/evidence')).filter((name) => name !== 'README.md')) {
    expect(index).toContain(`(${name})`);
  }
});
