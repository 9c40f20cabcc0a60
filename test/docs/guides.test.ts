import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOCS = join(ROOT, 'docs');

// Inside the project, so that its packages are found; where git does not look.
mkdirSync(join(ROOT, '.pawl'), { recursive: true });
const scratch = mkdtempSync(join(ROOT, '.pawl', 'docs-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** What a reader has and the guide does not show: an HTML comment that begins with `given`, right before the code. */
const BLOCK = /(?:<!-- given\n(?<given>[\s\S]*?)-->\n)?```ts\n(?<code>[\s\S]*?)```/g;

const guides = readdirSync(DOCS).filter((name) => name.endsWith('.md'));

test('the code in the guides compiles', { timeout: 120_000 }, () => {
  const blocks = guides.flatMap((guide) =>
    [...readFileSync(join(DOCS, guide), 'utf8').matchAll(BLOCK)].map(({ groups }, index) => {
      const name = `${guide.replace('.md', '')}-${index + 1}.ts`;
      writeFileSync(join(scratch, name), `${groups?.['given'] ?? ''}${groups?.['code']}\nexport {};\n`);
      return name;
    }),
  );
  expect(blocks.length).toBeGreaterThan(10);
  const lib = (path: string) => [join(ROOT, 'lib', path)];
  const paths = {
    pawl: lib('index.ts'),
    'pawl/dynamodb': lib('stores/dynamodb/index.ts'),
    'pawl/*': lib('*/index.ts'),
  };
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
  for (const guide of [...guides.map((name) => join('docs', name)), 'README.md']) {
    const text = readFileSync(join(ROOT, guide), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      const path = join(ROOT, guide, '..', target);
      expect(() => readFileSync(path), `${guide} links to ${target}`).not.toThrow();
    }
  }
});
