import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, expect, test, vi } from 'vitest';
import { filesOf, repositoryRoot } from '../../checks/docs/pages.ts';
import { publishedEntries } from '../../checks/packages.ts';

/**
 * The files of docs/guides/adopt.md, as they are printed, with the sources of pawl in place of the package. `npm run e2e -- package` walks the whole page, `cdk init`
 * and `cdk synth` included.
 */

const adoptPage = 'docs/guides/adopt.md';
const page = readFileSync(join(repositoryRoot, adoptPage), 'utf8');
const files = filesOf(adoptPage);

mkdirSync(join(repositoryRoot, '.pawl'), { recursive: true });
const scratch = mkdtempSync(join(repositoryRoot, '.pawl', 'adopt-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const require = createRequire(import.meta.url);

/** Runs the one test of a file of the page. */
async function runTestOf(path: string, change: (code: string) => string = (code) => code): Promise<void> {
  const folder = mkdtempSync(join(scratch, 'walk-'));
  // What a reader has, and the page does not show.
  const given = new Map([
    ['package.json', '{ "type": "commonjs" }'],
    ['mailer.js', 'module.exports = {};'],
    ['node-test.js', 'exports.test = (...test) => globalThis.test(...test);'],
  ]);
  for (const [file, code] of [...files, ...given]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), change(code));
  }
  const entries = publishedEntries.map(({ name, source }) => [name, join(repositoryRoot, source)]);
  const bundle = join(folder, 'bundle.cjs');
  buildSync({
    entryPoints: [join(folder, path)],
    outfile: bundle,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    alias: {
      ...Object.fromEntries(entries),
      'node:test': join(folder, 'node-test.js'),
      // This repository has version 7, which cannot be required.
      '@middy/core': fileURLToPath(import.meta.resolve('@middy/core')),
    },
    external: ['@aws-sdk/*', 'aws-cdk-lib', 'constructs'],
    logLevel: 'error',
  });
  const tests: (() => Promise<void>)[] = [];
  vi.stubGlobal('test', (_: string, run: () => Promise<void>) => tests.push(run));
  require(bundle);
  vi.unstubAllGlobals();
  expect(tests).toHaveLength(1);
  for (const run of tests) await run();
}

const walks = ['test/send-mail.test.ts', 'index.test.js'];

test.each(walks)('%s passes', async (path) => {
  await runTestOf(path);
});

test.each(walks)('%s fails when the policy permits a second mail', async (path) => {
  const harmful = (code: string) => code.replace("onAbandoned: 'park'", "onAbandoned: 'retry'");
  await expect(runTestOf(path, harmful)).rejects.toThrow(/^\d+ doubled/);
});

test('from an empty folder, the page has at most 15 commands and files', () => {
  const [, section = ''] = /## From an empty folder\n([\s\S]*?)\n## /.exec(page) ?? [];
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, lines = '']) =>
    lines.trim().split(/\n| && /),
  );
  const made = [...files.keys()].filter((path) => section.includes(`// ${path}\n`));
  expect(commands).toContain('npx cdk synth');
  expect(made).toEqual(['lib/mailer-stack.ts', 'lib/send-mail.ts', 'lib/handler.ts', 'test/send-mail.test.ts']);
  expect(commands.length + made.length).toBeLessThanOrEqual(15);
});
